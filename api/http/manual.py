"""The manual at `/docs`: Swagger UI from an installed package. No page that we serve loads anything from elsewhere."""

from importlib.resources import files
from typing import Final

from fastapi import FastAPI, Request
from fastapi.openapi.docs import get_swagger_ui_html
from starlette.responses import HTMLResponse
from starlette.staticfiles import StaticFiles

ASSETS: Final = "/docs/assets"
CONTENT_POLICY: Final = (
    "default-src 'none'; connect-src 'self'; img-src 'self' data:; script-src 'self' 'unsafe-inline'; "
    "style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What a browser may load for a page of ours: what comes from here. Swagger UI is started by a script in its page."""


def add_manual(app: FastAPI) -> None:
    """Serve the API manual of `app` and its static assets."""
    app.mount(ASSETS, StaticFiles(directory=str(files("fastapi_offline") / "static")), name="manual")

    @app.get("/docs", include_in_schema=False)
    async def manual(request: Request) -> HTMLResponse:
        root = request.scope.get("root_path", "")
        page = get_swagger_ui_html(
            openapi_url=f"{root}{app.openapi_url}",
            title=f"{app.title}: the API",
            swagger_js_url=f"{root}{ASSETS}/swagger-ui-bundle.js",
            swagger_css_url=f"{root}{ASSETS}/swagger-ui.css",
            swagger_favicon_url=f"{root}{ASSETS}/favicon.png",
            swagger_ui_parameters={"validatorUrl": None},  # it would send the document to a service of Swagger's
        )
        return HTMLResponse(bytes(page.body), headers={"Content-Security-Policy": CONTENT_POLICY})
