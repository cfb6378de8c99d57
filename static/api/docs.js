// The API's operations, to read and to try with a token of one's own. It is kept in this page alone.
const operations = document.getElementById("operations");
SwaggerUIBundle({
  domNode: operations,
  url: operations.dataset.schema,
  validatorUrl: null, // else the description is sent to somebody else's server
  persistAuthorization: false,
  deepLinking: true,
});
