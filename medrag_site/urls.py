from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView

from chat.api.urls import openai_urlpatterns, unknown_urlpatterns
from chat.mcp.views import McpView, resource_metadata
from chat.records import hooks
from chat.records.launch import views as launch
from chat.records.views import infobutton
from chat.sign_in import views as sign_in
from medrag_site.web import health
from medrag_site.web.metrics import metrics

admin.site.site_header = "MedRAG administration"
admin.site.site_title = "MedRAG administration"
admin.site.index_title = "Guidelines, answers and accounts"

handler500 = "medrag_site.database.faults.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.live, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("sign-in/", sign_in.SignIn.as_view(), name="login"),
    path("sign-in/code/", sign_in.code, name="sign_in_code"),
    path("sign-in/set-up/", sign_in.set_up, name="sign_in_set_up"),
    path("sign-in/hospital/", sign_in.to_hospital, name="single_sign_on"),
    path("sign-in/hospital/back/", sign_in.from_hospital, name="single_sign_on_callback"),
    path("second-factor/", sign_in.own, name="second_factor"),
    path("sign-out/", LogoutView.as_view(), name="logout"),
    # The administration has no sign-in page of its own.
    path("admin/login/", RedirectView.as_view(pattern_name="login", query_string=True)),
    path("admin/", admin.site.urls),
    path("api/v1/", include("evaluation.api.urls")),
    path("api/v1/", include("chat.api.urls")),  # ends with the view for unknown paths
    path("api/", include(unknown_urlpatterns)),
    path("v1/", include(openai_urlpatterns)),
    path("infobutton", infobutton, name="infobutton"),
    path("launch", launch.launch, name="launch"),
    path("launch/back", launch.back, name="launch_back"),
    path("launch/sign-in", launch.launch, {"of_patient": False}, name="launch_sign_in"),
    path("launch/link", launch.link, name="launch_link"),
    path("launch/keys", launch.keys, name="launch_keys"),
    path("launch/<uuid:launch>", launch.launched, name="launched"),
    path("launch/<uuid:launch>/ask", launch.launched_ask, name="launched_ask"),
    path("cds-services", hooks.ServicesView.as_view(), name="cds_services"),
    path("cds-services/<str:service>", hooks.ServiceView.as_view(), name="cds_service"),
    path("cds-services/<str:service>/feedback", hooks.FeedbackView.as_view(), name="cds_feedback"),
    path("mcp", McpView.as_view(), name="mcp"),
    path(".well-known/oauth-protected-resource", resource_metadata),
    path(".well-known/oauth-protected-resource/mcp", resource_metadata, name="mcp_metadata"),
    path("scim/", include("chat.sign_in.scim.views")),
    path("", include("chat.web.urls")),
]
