"""A tool on this machine, of Dmitry Viskov's PyLTI1p3: what it checks, signs and requests is that library's.

It prints its address, and registers itself (Dynamic Registration) at the address that opens /register.
"""

import datetime
import logging

import requests
from flask import Flask, json, jsonify, request
from jwcrypto.jwk import JWK
from markupsafe import escape
from pylti1p3.contrib.flask import FlaskMessageLaunch, FlaskOIDCLogin, FlaskRequest
from pylti1p3.deep_link_resource import DeepLinkResource
from pylti1p3.grade import Grade
from pylti1p3.lineitem import LineItem
from pylti1p3.tool_config import ToolConfDict
from werkzeug.serving import make_server

app = Flask(__name__)
logging.getLogger("werkzeug").setLevel(logging.ERROR)
app.secret_key = "only for this check"
app.config.update(SESSION_COOKIE_SAMESITE="None", SESSION_COOKIE_SECURE=True)
key = JWK.generate(kty="RSA", size=2048)
registered = {}
claim = "https://purl.imsglobal.org/spec/lti-tool-configuration"
scope = "https://purl.imsglobal.org/spec/lti-"
scopes = ["ags/scope/lineitem", "ags/scope/lineitem.readonly", "ags/scope/score", "ags/scope/result.readonly", "nrps/scope/contextmembership.readonly"]


def config():
    tool = ToolConfDict(registered)
    for issuer in registered:
        tool.set_private_key(issuer, key.export_to_pem(private_key=True, password=None).decode())
        tool.set_public_key(issuer, key.export_to_pem().decode())
    return tool


@app.get("/register")
def register():
    platform = requests.get(request.args["openid_configuration"], timeout=10).json()
    metadata = {
        "application_type": "web",
        "client_name": "PyLTI1p3",
        "initiate_login_uri": f"{address}/login",
        "redirect_uris": [f"{address}/launch"],
        "jwks_uri": f"{address}/jwks",
        "token_endpoint_auth_method": "private_key_jwt",
        "scope": " ".join(scope + one for one in scopes),
        claim: {
            "target_link_uri": f"{address}/launch",
            "messages": [{"type": "LtiDeepLinkingRequest", "target_link_uri": f"{address}/launch"}],
        },
    }
    headers = {"Authorization": f"Bearer {request.args['registration_token']}"}
    answer = requests.post(platform["registration_endpoint"], json=metadata, headers=headers, timeout=10)
    client = answer.json()
    registered[platform["issuer"]] = {
        "client_id": client["client_id"],
        "auth_login_url": platform["authorization_endpoint"],
        "auth_token_url": platform["token_endpoint"],
        "key_set_url": platform["jwks_uri"],
        "deployment_ids": [client[claim]["deployment_id"]],
    }
    return '<script>(opener ?? parent).postMessage({ subject: "org.imsglobal.lti.close" }, "*");</script>'


@app.get("/jwks")
def jwks():
    return jsonify(config().get_jwks())


@app.route("/login", methods=["GET", "POST"])
def login():
    return FlaskOIDCLogin(FlaskRequest(), config()).redirect(FlaskRequest().get_param("target_link_uri"))


@app.post("/launch")
def launch():
    message = FlaskMessageLaunch(FlaskRequest(), config())
    data = message.get_launch_data()
    if message.is_deep_link_launch():
        column = LineItem().set_label("Wave quiz").set_score_maximum(20).set_tag("quiz")
        link = DeepLinkResource().set_url(f"{address}/launch").set_title("Wave quiz").set_lineitem(column)
        return message.get_deep_link().output_response_form([link.set_custom_params({"quiz": "7"})])
    grade = (
        Grade()
        .set_score_given(8)
        .set_score_maximum(10)
        .set_timestamp(datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds"))
        .set_activity_progress("Completed")
        .set_grading_progress("FullyGraded")
        .set_user_id(data["sub"])
    )
    ags = message.get_ags()
    ags.put_grade(grade)
    own = LineItem().set_label("Participation").set_score_maximum(5).set_tag("participation")
    column = ags.find_or_create_lineitem(own)
    ags.put_grade(grade, column)
    report = dict(
        custom=data["https://purl.imsglobal.org/spec/lti/claim/custom"],
        line_items=ags.get_lineitems(),
        results=ags.get_grades(),
        own_results=ags.get_grades(column),
        members=message.get_nrps().get_members(),
        sub=data["sub"],
    )
    return f'<pre id="report">{escape(json.dumps(report))}</pre>'


server = make_server("127.0.0.1", 0, app, threaded=True)
address = f"http://127.0.0.1:{server.server_port}"
print(address, flush=True)
server.serve_forever()
