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


def read_all(name, get):
    found = []
    while page := getattr(get(limit=5, offset=len(found)), name):
        found += page
    assert len({one.sourced_id for one in found}) == len(found) > 0, name
    print(f"{name}: {len(found)}")
    return found


read = {name: {one.sourced_id for one in read_all(name, get)} for name, get in lists.items()}

active = lists["enrollments"](limit=100, filter="status='active' AND role='student'").enrollments
assert active and all(one.role == "student" for one in active)
assert all(one._class.sourced_id in read["classes"] for one in active)

gradebook = client("gradebook")
results = one_roster.ResultsManagementApi(gradebook)
scores = read_all("results", results.get_results)
assert all(one.student and one.line_item for one in scores)
of_classes = [one for name in read["classes"] for one in results.get_results_for_class(name, limit=5000).results]
assert {one.sourced_id for one in scores} == {one.sourced_id for one in of_classes}
line_items = read_all("line_items", one_roster.LineItemsManagementApi(gradebook).get_line_items)
assert {one.line_item.sourced_id for one in scores} <= {one.sourced_id for one in line_items}
read_all("categories", one_roster.CategoriesManagementApi(gradebook).get_categories)

try:
    lists["courses"](filter="shoe='42'")
    raise AssertionError("an unknown field was filtered")
except HTTPError as error:
    assert error.response.status_code == 400 and "invalid_filter_field" in error.response.text, error
