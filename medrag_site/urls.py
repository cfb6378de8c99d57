from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import URLPattern, URLResolver, include, path
from django.views.generic import RedirectView

from chat.api.urls import openai_urlpatterns, unknown_urlpatterns
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
    path("sign-in/", LoginView.as_view(template_name="accounts/sign_in.html"), name="login"),
    path("sign-out/", LogoutView.as_view(), name="logout"),
    # One page to sign in, for the administration too.
    path("admin/login/", RedirectView.as_view(pattern_name="login", query_string=True)),
    path("admin/", admin.site.urls),
    path("api/v1/", include("evaluation.api")),
    path("api/v1/", include("chat.api.urls")),  # with what stands at unknown paths
    path("api/", include(unknown_urlpatterns)),
    path("v1/", include(openai_urlpatterns)),
    path("", include("chat.web.urls")),
]
