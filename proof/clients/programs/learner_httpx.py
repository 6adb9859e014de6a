"""The learner's main job through the client that openapi-python-client wrote."""
import json
import sys
from typing import TypeVar

from learning_platform import AuthenticatedClient, Client
from learning_platform.api.authentication import login
from learning_platform.api.chat import create_chat_session, send_chat_message
from learning_platform.api.courses import (
    get_course, get_course_offering_outline, list_course_offerings, list_courses,
)
from learning_platform.api.enrollments import create_enrollment
from learning_platform.api.progress import list_my_content_progress, record_content_progress
from learning_platform.models import (
    ChatMessageCreate, ChatSession, ChatSessionCreate, ContentProgress, ContentProgressPost, Credentials,
    Enrollment, EnrollmentCreate, ErrorAnswer, Outline, TokenPair, TutorEvent, TutorQuestion,
)

Answer = TypeVar("Answer")


def have(kind: type[Answer], answer: object) -> Answer:
    if not isinstance(answer, kind):
        raise SystemExit(f"answered {answer} in place of {kind}")
    return answer


base, email, password, code = sys.argv[1:]
with Client(base_url=base) as anyone:
    tokens = have(TokenPair, login.sync(client=anyone, body=Credentials(email=email, password=password)))
client = AuthenticatedClient(base_url=base, token=tokens.access_token)

listed = list_courses.sync(client=client, limit=20)
assert isinstance(listed, list)
course = next(one for one in listed if one.code == code)
offerings = list_course_offerings.sync(course.id, client=client)
assert isinstance(offerings, list)
offering = offerings[0]
enrollment = have(
    Enrollment, create_enrollment.sync(client=client, body=EnrollmentCreate(course_offering_id=offering.id))
)
outline = have(Outline, get_course_offering_outline.sync(course.id, offering.id, client=client))
item = next(module.items[0] for module in outline.modules if module.items)

session = have(
    ChatSession, create_chat_session.sync(client=client, body=ChatSessionCreate(content_item_id=item.id))
)
text = have(
    str, send_chat_message.sync(session.id, client=client, body=ChatMessageCreate(content="Start."))
)
events = [
    TutorEvent.from_dict(json.loads(line.removeprefix("data: ")))
    for line in text.splitlines() if line.startswith("data: ")
]
end = events[-1]

have(ContentProgress, record_content_progress.sync(
    client=client,
    body=ContentProgressPost(content_item_id=item.id, course_offering_id=offering.id, progress_percent=50),
))
progress = list_my_content_progress.sync(client=client, course_offering_id=offering.id)
assert isinstance(progress, list)
mine = next(one for one in progress if one.content_item_id == item.id)
missing = have(ErrorAnswer, get_course.sync(2147483647, client=client))

print(json.dumps({
    "courses": len(listed),
    "enrollment": enrollment.status.value,
    "words": sum(len(event.content) for event in events),
    "ended": end.done and isinstance(end.message_id, int),
    "question": end.question.question_id if isinstance(end.question, TutorQuestion) else None,
    "progress": mine.progress_percent,
    "missing": missing.detail,
}))
