"""Holds each statement of standard input against ralph's models of xAPI, and prints what is wrong with which."""

import json
import sys

from pydantic import ValidationError
from ralph.models.xapi.base.statements import BaseXapiStatement

statements = json.load(sys.stdin)
faults = []
for at, statement in enumerate(statements):
    try:
        BaseXapiStatement.model_validate(statement)
    except ValidationError as error:
        faults.append({"at": at, "faults": [f"{fault['loc']}: {fault['msg']}" for fault in error.errors()][:5]})
json.dump(faults, sys.stdout)
