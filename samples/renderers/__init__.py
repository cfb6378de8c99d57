"""Turn a sample's plain-text source into a PDF, a scan, DOCX, HTML or Markdown file."""
