"""An LMS on this machine, of OpenLearning's lti1p3platform: what it signs, checks and answers is that library's.

It prints its address. The one argument is the address of the tool, such as http://127.0.0.1:8000/lti/1.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlparse

from jwcrypto.jwk import JWK
from lti1p3platform.ltiplatform import LTI1P3PlatformConfAbstract
from lti1p3platform.message_launch import LTIAdvantageMessageLaunchAbstract
from lti1p3platform.oidc_login import OIDCLoginAbstract
from lti1p3platform.registration import Registration

tool = sys.argv[1]
key = JWK.generate(kty="RSA", size=2048)
seen = {"scores": [], "memberships": 0, "links": []}
scope = "https://purl.imsglobal.org/spec/lti-"


class Platform(LTI1P3PlatformConfAbstract):
    def init_platform_config(self, **kwargs):
        self._registration = (
            Registration()
            .set_iss(address)
            .set_client_id("learning")
            .set_deployment_id("1")
            .set_launch_url(f"{tool}/launch")
            .set_deeplink_launch_url(f"{tool}/launch")
            .set_oidc_login_url(f"{tool}/login")
            .set_tool_key_set_url(f"{tool.rsplit('/', 1)[0]}/jwks")
            .set_platform_public_key(key.export_to_pem().decode())
            .set_platform_private_key(key.export_to_pem(private_key=True, password=None).decode())
        )

    def get_registration_by_params(self, **kwargs):
        return self._registration


class Login(OIDCLoginAbstract):
    def set_lti_message_hint(self, **kwargs):
        self._lti_message_hint = kwargs["hint"]

    def get_redirect(self, url):
        return url


class Launch(LTIAdvantageMessageLaunchAbstract):
    def get_preflight_response(self):
        return self._request

    def prepare_launch(self, preflight_response):
        hint = json.loads(preflight_response["lti_message_hint"])
        role = f"http://purl.imsglobal.org/vocab/lis/v2/membership#{hint['role']}"
        self.set_user_data(preflight_response["login_hint"], [role], full_name=hint["name"])
        self.set_launch_context_claim("course-1", context_title="A course of lti1p3platform")
        self.set_nrps(f"{address}/memberships")
        if hint.get("links"):
            self.set_dl(f"{address}/return", extra_data={"course": 1})
        else:
            self.set_resource_link_claim(hint["link"], title=hint["link"])
            self.set_custom_parameters_claim(hint.get("custom", {}))
            self.set_ags(f"{address}/lineitems", f"{address}/lineitems/{hint['link']}")

    def render_launch_form(self, launch_data, **kwargs):
        return launch_data


class Handler(BaseHTTPRequestHandler):
    def answer(self, body, status=200, kind="application/json"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def is_allowed(self, *scopes):
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        return platform().validate_token(token, [scope + one for one in scopes])

    def do_GET(self):
        address_of = urlparse(self.path)
        query = dict(parse_qsl(address_of.query))
        if address_of.path == "/keys":
            return self.answer(platform().get_jwks())
        if address_of.path == "/begin":
            login = Login(None, platform())
            login.set_lti_message_hint(hint=query["hint"])
            return self.answer(login.initiate_login(query["user"]))
        if address_of.path == "/auth":
            return self.answer(Launch(query, platform()).lti_launch())
        if address_of.path == "/seen":
            return self.answer(seen)
        if address_of.path == "/memberships":
            if not self.is_allowed("nrps/scope/contextmembership.readonly"):
                return self.answer({}, 401)
            seen["memberships"] += 1
            role = "http://purl.imsglobal.org/vocab/lis/v2/membership#"
            members = [
                {"user_id": user, "roles": [role + kind], "status": "Active", "name": name}
                for user, kind, name in [
                    ("teacher", "Instructor", "Grace Hopper"),
                    ("learner", "Learner", "Ada Lovelace"),
                    ("another", "Learner", "Mary Shaw"),
                ]
            ]
            context = {"id": "course-1", "title": "A course of lti1p3platform"}
            kind = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json"
            return self.answer({"id": f"{address}/memberships", "context": context, "members": members}, kind=kind)
        return self.answer({}, 404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        try:
            if self.path == "/token":
                return self.answer(platform().get_access_token(dict(parse_qsl(body))))
            if self.path == "/return":
                seen["links"] = platform().validate_deeplinking_resp(dict(parse_qsl(body)))
                return self.answer(seen["links"])
            if self.path.endswith("/scores"):
                if not self.is_allowed("ags/scope/score"):
                    return self.answer({}, 401)
                seen["scores"].append(json.loads(body))
                return self.answer({})
        except Exception as error:
            print(type(error).__name__, error, file=sys.stderr, flush=True)
            return self.answer({"error": f"{type(error).__name__}: {error}"}, 400)
        return self.answer({}, 404)

    def log_message(self, *args):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
address = f"http://127.0.0.1:{server.server_port}"
platform = Platform
print(address, flush=True)
server.serve_forever()
