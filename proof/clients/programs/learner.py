"""The learner's main job through the client that was generated for Python."""
import json
import sys

from openapi_client import (
    ApiClient, AuthenticationApi, ChatApi, ChatMessageCreate, ChatSessionCreate, Configuration,
    ContentProgressPost, CoursesApi, Credentials, EnrollmentCreate, EnrollmentsApi, ErrorAnswer, ProgressApi,
    TutorEvent,
)
from openapi_client.exceptions import NotFoundException



def event_of(line: str) -> TutorEvent:
    event = TutorEvent.from_json(line.removeprefix("data: "))
    assert event is not None
    return event


base, email, password, code = sys.argv[1:]
settings = Configuration(host=base)
client = ApiClient(settings)

tokens = AuthenticationApi(client).login(Credentials(email=email, password=password))
settings.access_token = tokens.access_token

courses = CoursesApi(client)
listed = courses.list_courses(limit=20)
course = next(one for one in listed if one.code == code)
offering = courses.list_course_offerings(course.id)[0]
enrollment = EnrollmentsApi(client).create_enrollment(EnrollmentCreate(course_offering_id=offering.id))
outline = courses.get_course_offering_outline(course.id, offering.id)
item = next(module.items[0] for module in outline.modules if module.items)

chat = ChatApi(client)
session = chat.create_chat_session(ChatSessionCreate(content_item_id=item.id))
stream = chat.send_chat_message_without_preload_content(session.id, ChatMessageCreate(content="Start."))
text = b"".join(stream.stream()).decode()
events = [event_of(line) for line in text.splitlines() if line.startswith("data: ")]
end = events[-1]

progress = ProgressApi(client)
progress.record_content_progress(
    ContentProgressPost(content_item_id=item.id, course_offering_id=offering.id, progress_percent=50)
)
mine = next(
    one for one in progress.list_my_content_progress(course_offering_id=offering.id)
    if one.content_item_id == item.id
)
try:
    courses.get_course(2147483647)
    missing = ""
except NotFoundException as error:
    answer = ErrorAnswer.from_json(error.body or "")
    missing = answer.detail if answer else ""

print(json.dumps({
    "courses": len(listed),
    "enrollment": enrollment.status,
    "words": sum(len(event.content) for event in events),
    "ended": end.done and end.message_id is not None,
    "question": end.question.question_id if end.question else None,
    "progress": mine.progress_percent,
    "missing": missing,
}))
