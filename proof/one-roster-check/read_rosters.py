"""Reads a OneRoster service with a client that is generated from the standard's description of version 1.1.

Version 1.2 keeps all of it but a user's roles, so users are not read.
"""

import sys

import oneroster_client as one_roster
from requests import HTTPError

service, token = sys.argv[1:]


def client(path):
    configuration = one_roster.Configuration()
    configuration.host = f"{service}/{path}/v1p2"
    configuration.access_token = token
    return one_roster.ApiClient(configuration)


rostering = client("rostering")
lists = {
    "orgs": one_roster.OrgsManagementApi(rostering).get_orgs,
    "academic_sessions": one_roster.AcademicSessionsManagementApi(rostering).get_academic_sessions,
    "courses": one_roster.CoursesManagementApi(rostering).get_courses,
    "classes": one_roster.ClassesManagementApi(rostering).get_classes,
    "enrollments": one_roster.EnrollmentsManagementApi(rostering).get_enrollments,
}
read = {}
for name, get in lists.items():
    found, offset = [], 0
    while page := getattr(get(limit=5, offset=offset), name):
        found += page
        offset += len(page)
    read[name] = {one.sourced_id for one in found}
    assert len(read[name]) == len(found) > 0, name
    print(f"{name}: {len(found)}")

active = lists["enrollments"](limit=100, filter="status='active' AND role='student'").enrollments
assert active and all(one.role == "student" for one in active)
assert all(one._class.sourced_id in read["classes"] for one in active)

results = one_roster.ResultsManagementApi(client("gradebook"))
scores = [one for name in read["classes"] for one in results.get_results_for_class(name).results]
assert all(one.student and one.line_item for one in scores)
print(f"results: {len(scores)}")

try:
    lists["courses"](filter="shoe='42'")
    raise AssertionError("an unknown field was filtered")
except HTTPError as error:
    assert error.response.status_code == 400 and "invalid_filter_field" in error.response.text, error
