import { eq, sql } from "drizzle-orm";
import { unsubscribeToken } from "../../lib/courses/notifications/unsubscribing.ts";
import type { HeldRole } from "../../lib/identity/rbac/policy.ts";
import { files as filesTable } from "../../schema/db/files/files.ts";
import { scimGroups } from "../../schema/db/integrations/scim.ts";
import { roles } from "../../schema/enums.ts";
import type { Client } from "./client.ts";
import { makersOf } from "./makers.ts";
import type { Values } from "./operations.ts";
import { dataRequestOf, holdOf } from "./ownership.ts";
import { insertRollout } from "./rollout.ts";
import { manifest12, packageOf } from "./scorm.ts";
import { png, sendFile } from "./send-file.ts";
import { insertTrial } from "./trial.ts";
import type { World } from "./world.ts";

export type Holder = { id: number; name: string; held: HeldRole | undefined };

export type UniversityFixture = Awaited<ReturnType<typeof buildUniversity>>;

/**
 * A university with one of everything in the API, in a department's course. Its people hold each role for
 * that university, another one, the department and another department.
 */
export async function buildUniversity(world: World) {
  const make = makersOf(world);
  const university = await make.university();
  const department = await make.department(university.id);
  const term_id = (await make.term(university.id)).id;
  const learner = await make.person({ email_verified_at: "2026-01-01T00:00:00Z" });
  const api = {
    admin: world.as(await make.holder("platform_admin", university.id)),
    learner: world.as(learner),
  };

  const course = await make.course(university.id, { department_id: department.id });
  const required = await make.course(university.id, { department_id: department.id });
  const further = await make.course(university.id, { department_id: department.id });
  const offering = await make.offering(course);
  const open = await make.offering(further);
  const module = await make.module(course.id);
  const { pool, questions } = await make.questionPool(course);
  const data_json = { question_pool_id: pool.id, mastery: { max_attempts: 1000 } };
  const item = await make.contentItem(module, university.id, { type: "quiz", data_json });
  const enrollment = await make.enrollment(learner.id, offering.id);
  // Quizzes count only by their result.
  const reading = await make.contentItem(module, university.id);
  await api.learner.post("/progress/content", {
    content_item_id: reading.id,
    course_offering_id: offering.id,
    progress_percent: 100,
  });
  await idOf(api.admin, `/courses/${course.id}/prerequisites`, { prerequisite_course_id: required.id });
  await idOf(api.admin, `/courses/${course.id}/offerings/${offering.id}/instructors`, {
    user_id: learner.id,
  });
  const made = await makeThroughApi(api, {
    university_id: university.id,
    department_id: department.id,
    content_item_id: item.id,
    user_id: (await make.person()).id,
    learner_email: learner.email,
    other_university_id: (await make.university()).id,
  });
  const social = await makeCommunity(api, { offering_id: offering.id, content_item_id: item.id });
  await idOf(api.learner, `/chat/sessions/${made.session_id}/handover`, {
    message_ids: [made.message_id],
    question: "Can a person explain?",
    visible: "STAFF",
  });
  await world.deps.db.execute(sql`
    insert into message_sources (question_id, number, content_item_id, place)
    select in_reply_to_id, 1, ${reading.id}::int, '{"block": 1}' from chat_messages where id = ${made.message_id}`);
  await world.deps.db.execute(sql`
    with asked as (
      update chat_messages set question = '{"questionId": "q", "question": "Which?", "options": [{"id": "A", "text": "One"}]}'
      where id = ${made.message_id} returning id, question
    ), kept as (
      insert into tutor_questions (content_item_id, question_hash, question, question_key)
      select ${item.id}, question_hash(question), question, '{"answer": "A", "misconceptions": [], "skill": null}' from asked
      returning id, question_hash
    )
    insert into tutor_steps (user_id, content_item_id, question_id, question_hash, asked_message_id, choice, try_number, hints)
    select ${learner.id}, ${item.id}, kept.id, question_hash, asked.id, 'A', 1, 0 from kept, asked`);
  await make.warming(item.id);
  const personal = await makeStudy(api.learner, { content_item_id: item.id, message_id: made.message_id });

  const exempted = {
    user_id: (await make.holder("student", university.id)).id,
    prerequisite_course_id: required.id,
  };

  const certified = await makeCertificate(world, offering.id);

  const lab = await make.contentItem(module, university.id, {
    type: "engineering_lab",
    data_json: { grading: { max_points: 20 } },
  });
  const work = `/assessments/offerings/${offering.id}/assignments/${lab.id}`;
  await api.admin.put(`/assessments/offerings/${offering.id}/grading-scheme`, {});
  const quiz = `/assessments/offerings/${offering.id}/quizzes/${item.id}`;
  const tool = await make.contentItem(module, university.id, {
    ...{ type: "external_tool", data_json: { lti_tool_id: made.lti_tool_id, submission_review: {} } },
  });
  await world.deps.db.execute(sql`
    insert into lab_submissions (user_id, course_offering_id, content_item_id, attempt_number, submitted_at)
    values (${learner.id}, ${offering.id}, ${tool.id}, 1, now())`);
  const paths: Values = {
    ...made,
    ...social,
    ...personal,
    ...certified,
    directory_group_id: await makeDirectoryGroup(world, university.id),
    exemption_id: await idOf(api.admin, `/courses/${course.id}/exemptions`, exempted),
    question_pool_id: pool.id,
    question_id: questions[0]?.id,
    attempt_id: await idOf(api.learner, `${quiz}/attempts`, {}),
    ...(await insertTrial(world, { course_id: course.id, content_item_id: item.id })),
    rollout_id: await insertRollout(world, { prompt_name: "campus/prompt" }),
    assignment_id: lab.id,
    external_tool_id: tool.id,
    submission_id: await idOf(api.learner, `${work}/submissions`, { body: "They interfere." }),
    provider: "campus",
    calendar_token: (await api.learner.post("/users/me/calendar")).body.url.split("/").at(-2),
    unsubscribe_token: unsubscribeToken(world.deps.config, learner.id),
    university_id: university.id,
    department_id: department.id,
    term_id,
    country_id: university.country_id,
    course_id: course.id,
    prerequisite_course_id: required.id,
    offering_id: offering.id,
    group_id: await makeGroup(api.admin, offering.id, learner.id),
    hold_id: await holdOf(world.deps.db, university.id, learner.id),
    data_request_id: await dataRequestOf(world.deps.db, university.id, learner.id),
    user_id: learner.id,
    enrollment_id: enrollment.id,
    module_id: module.id,
    content_id: item.id,
    content_item_id: item.id,
    content_type_id: item.content_type_id,
  };
  const launchedStaff = await make.holder("student", university.id);
  const known = sql`select ${made.lti_platform_id}::int as platform_id, 'person-1' as subject, ${learner.id}::int as user_id`;
  const [launched] = (
    await world.deps.db.execute<Record<"lti_context_id" | "lti_person_id" | "offering_staff_id", number>>(sql`
    with bound as (
      insert into lti_contexts (platform_id, deployment_id, context_id, title, course_offering_id, university_id)
      values (${made.lti_platform_id}, ${made.lti_deployment_id}, 'course-1', 'Course', ${offering.id}, ${university.id})
      returning id
    ), person as (
      insert into lti_people (platform_id, subject, user_id, linked_by) select *, 'sign_in' from (${known}) as one returning id
    ), refused as (
      insert into lti_refused_launches (platform_id, day, reason, launches, last_at)
      values (${made.lti_platform_id}, '2026-03-10', 'nonce', 1, now())
    ), staff as (
      insert into offering_staff (course_offering_id, university_id, user_id, role, source)
      values (${offering.id}, ${university.id}, ${launchedStaff.id}, 'ta', 'launch') returning id
    )
    select bound.id as lti_context_id, person.id as lti_person_id, staff.id as offering_staff_id
    from bound, person, staff`)
  ).rows;
  Object.assign(paths, launched);
  const asset = await sendFile(world.deps, api.admin, { purpose: "ASSET", course_id: course.id });
  const picture = await sendFile(
    world.deps,
    api.learner,
    { purpose: "AVATAR", name: "me.png", media_type: "image/png" },
    png,
  );
  const shown = await api.learner.put("/users/me/avatar", { file_id: picture.body.id });
  const logo = await sendFile(
    world.deps,
    api.admin,
    { purpose: "LOGO", university_id: university.id, name: "logo.png", media_type: "image/png" },
    png,
  );
  const looks = await api.admin.put(`/universities/${university.id}/logo`, { file_id: logo.body.id });
  // Uploaded by the learner, because these operations find only the caller's files. Shown to everyone with
  // access to the course.
  const page = await sendFile(world.deps, api.admin, { purpose: "ASSET", course_id: course.id });
  await world.deps.db
    .update(filesTable)
    .set({ uploaded_by_user_id: learner.id })
    .where(eq(filesTable.id, page.body.id));
  await api.admin.put(`/content/${reading.id}`, {
    data_json: { blocks: [{ type: "image", file_id: page.body.id }] },
  });
  Object.assign(paths, { file_id: page.body.id, token: shown.body.avatar_url.split("/").at(-1) });
  Object.assign(paths, { logo_token: looks.body.logo_url.split("/").at(-1) });
  const scorm = await makeScormItem(world, api, offering, module);
  Object.assign(paths, scorm.paths);
  const cartridge = await sendFile(world.deps, api.admin, { purpose: "IMPORT", course_id: course.id });
  const started = await api.admin.post("/cartridges/imports", {
    course_id: course.id,
    file_id: cartridge.body.id,
    dry_run: true,
  });
  Object.assign(paths, { cartridge_import_id: started.body.id });
  const options = ["A", "B"].map((id) => ({ id, text: `Choice ${id}` }));
  const fields: Values = {
    university_id: university.id,
    department_id: department.id,
    term_id,
    country_id: university.country_id,
    course_id: course.id,
    prerequisite_course_id: further.id,
    course_offering_id: open.id,
    module_id: module.id,
    module_ids: [module.id],
    content_ids: [item.id],
    content_item_id: item.id,
    course_ids: [course.id],
    content_item_ids: [lab.id],
    // It takes either these or a course.
    "createPromptTrial.content_item_ids": null,
    // A tool of the platform is in all courses.
    "createPlatformLtiTool.course_ids": null,
    "updatePlatformLtiTool.course_ids": null,
    "warmContent.version": 1,
    "placeRetentionHold.course_offering_id": null,
    "changeCourseOutline.is_published": true,
    "beginPrivateThread.user_id": learner.id,
    content_type_id: item.content_type_id,
    user_id: (await make.holder("student", university.id)).id,
    user_ids: [learner.id],
    email: `${make.unique("newcomer")}@example.edu`,
    message_id: made.message_id,
    role: "INSTRUCTOR",
    files: { "people.csv": `email,full_name\r\n${make.unique("imported")}@example.edu,Imported\r\n` },
    iso_code: "ZZ",
    domain: "newly-granted.example.edu",
    time_factor: 1.5,
    // Without a password, the confirmation needs a session of the link's account.
    "verifyEmail.password": "correct horse",
    labels: [],
    responses: [{ question_id: questions[0]?.id, response: "A" }],
    options,
    "createUniversityProvider.issuer": "https://id.example.edu",
    "createUniversityProvider.client_id": "learning",
    "createUniversityProvider.client_secret": "a word of the provider",
    "createFile.purpose": "AVATAR",
    "createFile.course_id": null,
    "createFile.university_id": null,
    "createFile.course_offering_id": null,
    "createFile.content_item_id": null,
    "createFile.submission_id": null,
    "createFile.media_type": "text/plain",
    "getFileAddresses.ids": [asset.body.id],
    "setMyAvatar.file_id": null,
    "setUniversityLogo.file_id": null,
    color: "#7a1f3d",
    "handOverChatSession.message_ids": [made.message_id],
    "handOverChatSession.course_offering_id": null,
    file_id: asset.body.id,
    "putGroupMember.role": "MEMBER",
    "startImport.file_id": null,
    "startCartridgeImport.file_id": cartridge.body.id,
    "registerScormPackage.file_id": scorm.file_id,
    "launchScorm.sco": "item1",
    "commitScorm.session": scorm.session,
    "startCartridgeImport.dry_run": true,
    "importGrades.csv": `user_id,${lab.id}\r\n${learner.id},18\r\n`,
    "importGrades.file_id": null,
    // Either this or rubric levels.
    "gradeSubmission.score_obtained": 17.5,
    "agreeOnGrade.score_obtained": 17.5,
    "importQuestions.file_id": null,
    "readCaptions.file_id": null,
    "readCaptions.captions": Buffer.from("WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n").toString("base64"),
    "importQuestionsFromQti.file_id": null,
    "importQuestionsFromQti.files": [{ name: "question.xml", xml: "<assessmentItem/>" }],
    questions: [{ kind: "SINGLE_CHOICE", question_text: "Which?", options, answer: { option_id: "A" } }],
  };
  const scope = { university_id: university.id, department_id: department.id };
  const inactive = await make.person({ is_active: false });
  return {
    scope,
    learner,
    inactive,
    courses: [course, further],
    paths,
    fields,
    people: await peopleOf(world, scope),
  };
}

/** A SCORM item with a checked package. */
async function makeScormItem(
  world: World,
  { admin, learner }: { admin: Client; learner: Client },
  offering: { id: number; university_id: number },
  module: { id: number; course_id: number },
) {
  const files = {
    "imsmanifest.xml": manifest12([{ href: "index.html" }]),
    "index.html": "<title>Start</title>",
  };
  const named = { name: "package.zip", media_type: "application/zip" };
  const scope = { purpose: "ASSET", course_id: module.course_id };
  const { body: file } = await sendFile(world.deps, admin, { ...scope, ...named }, packageOf(files));
  await admin.post("/scorm/packages", { file_id: file.id });
  const data_json = { file_id: file.id };
  const item = await makersOf(world).contentItem(module, offering.university_id, {
    type: "scorm",
    data_json,
  });
  const { body } = await learner.post(`/scorm/offerings/${offering.id}/items/${item.id}/launches`, {});
  const package_token = body.player_url.split("/").at(-2);
  const paths = { scorm_item_id: item.id, package_token, file_path: "index.html" };
  return { file_id: file.id, session: body.session, paths };
}

/** Creates data that is easiest to make through the API. Returns values by path parameter. */
async function makeThroughApi(
  { admin, learner }: { admin: Client; learner: Client },
  {
    learner_email,
    ...ids
  }: { learner_email: string } & Record<
    "university_id" | "other_university_id" | "department_id" | "content_item_id" | "user_id",
    number
  >,
) {
  const { university_id, other_university_id, department_id, content_item_id, user_id } = ids;
  const name = "campus/prompt";
  await idOf(admin, "/prompts/", { name, prompt: "Speak slowly.", labels: ["production"] });
  await idOf(admin, "/prompts/", { name, prompt: "Speak up." });
  for (const whose of ["", `?university_id=${university_id}`])
    await admin.post(`/admin/cloud-credentials${whose}`, {
      cloud_access_key_id: "AKIACAMPUS",
      cloud_secret_access_key: "secret-of-the-campus",
    });
  const session_id = await idOf(learner, "/chat/sessions", { content_item_id });
  const greeting = await learner.post(`/chat/sessions/${session_id}/greeting`);
  const shared = await learner.post(`/chat/sessions/${session_id}/share`);
  const tree = await admin.get(`/chat/topics/${content_item_id}/tree`);
  const node_id = tree.body.nodes[0].id;
  await admin.put(`/chat/topics/${content_item_id}/tree/nodes/${node_id}`, { answer: "Welcome." });
  const changes = await admin.get(`/chat/topics/${content_item_id}/tree/changes`);
  const pins = await admin.get(`/chat/topics/${content_item_id}/tree/pins`);
  const lti_platform_id = await idOf(admin, `/universities/${university_id}/lti-platforms`, {
    name: "LMS",
    issuer: "https://lms.example.edu",
    client_id: "learning",
    auth_login_url: "https://lms.example.edu/auth",
    auth_token_url: "https://lms.example.edu/token",
    jwks_url: "https://lms.example.edu/keys",
  });
  return {
    session_id,
    message_id: greeting.body.id,
    share_token: shared.body.share_token,
    node_id,
    change_id: changes.body[0].id,
    pin_id: pins.body[0].id,
    prompt_name: name,
    version: 2,
    invitation_id: await idOf(admin, `/universities/${university_id}/invitations`, {
      email: "invited@campus.example.edu",
      role: "TA",
      department_id,
    }),
    // In another university: enrollment accepts an invitation of the same university.
    offer_id: await idOf(admin, `/universities/${other_university_id}/invitations`, {
      email: learner_email,
      role: "STUDENT",
    }),
    office_id: await idOf(admin, `/universities/${university_id}/offices`, {
      email: learner_email,
      right: "accommodation:write",
    }),
    api_key_id: await idOf(admin, `/universities/${university_id}/api-keys`, {
      name: "Registrar",
      scopes: ["people:read"],
      expires_at: new Date(Date.now() + 365 * 86_400_000).toISOString(),
    }),
    university_domain_id: await idOf(admin, `/universities/${university_id}/domains`, {
      domain: "campus.example.edu",
    }),
    identity_provider_id: await idOf(admin, `/universities/${university_id}/identity-providers`, {
      name: "campus",
      label: "UniversityFixture account",
      issuer: "https://id.example.edu",
      client_id: "learning",
      client_secret: "secret-of-the-campus",
    }),
    lti_platform_id,
    lti_tool_id: await idOf(admin, `/universities/${university_id}/lti-tools`, {
      ...{ name: "Tool", deep_linking_url: "https://tool.example.com/launch", in_navigation: true },
      ...{ login_url: "https://tool.example.com/login", launch_url: "https://tool.example.com/launch" },
      ...{ redirect_uris: ["https://tool.example.com/launch"], jwks_url: "https://tool.example.com/jwks" },
    }),
    one_roster_source_id: await idOf(admin, `/universities/${university_id}/one-roster-sources`, {
      ...{ name: "Records", client_id: "learning", client_secret: "secret-of-the-records" },
      ...{ service_url: "https://sis.example.edu/v1p2", token_url: "https://sis.example.edu/token" },
    }),
    platform_lti_tool_id: await idOf(admin, "/admin/lti-tools", {
      ...{ name: "Platform tool", login_url: "https://tool.example.com/login" },
      ...{ launch_url: "https://tool.example.com/launch", jwks_url: "https://tool.example.com/jwks" },
      redirect_uris: ["https://tool.example.com/launch"],
    }),
    lti_deployment_id: await idOf(
      admin,
      `/universities/${university_id}/lti-platforms/${lti_platform_id}/deployments`,
      { deployment_id: "1" },
    ),
    import_id: await idOf(admin, `/universities/${university_id}/imports`, {
      format: "CSV",
      files: { "people.csv": "email,full_name\r\nimported@campus.example.edu,Imported\r\n" },
    }),
    role_id: await idOf(admin, `/universities/${university_id}/roles`, {
      user_id,
      role: "STUDENT",
      department_id,
    }),
    domain_id: await idOf(admin, "/domains/", { code: "CAMPUS", name: "UniversityFixture" }),
    subject_id: await idOf(admin, "/subjects/", { code: "CAMPUS", name: "UniversityFixture" }),
    module_template_id: await idOf(admin, "/module-templates/", {
      template_type: "UNIT",
      title: "Week",
      university_id,
    }),
    asset_id: await idOf(admin, "/assets/", {
      url: "https://cdn.example.edu/plan.pdf",
      asset_type: "pdf",
      university_id,
    }),
    feature_request_id: await idOf(admin, "/feature-requests/", { title: "T", description: "D" }),
  };
}

/** A self-enrollment group of an offering with one member. */
async function makeGroup(admin: Client, offering_id: number, user_id: number) {
  const groups = `/offerings/${offering_id}/groups`;
  const id = await idOf(admin, groups, { name: "Team A", capacity: 100, self_enrollment: true });
  await admin.put(`${groups}/${id}/members/${user_id}`, {});
  return id;
}

/** The learner's posts in an offering's community. */
async function makeCommunity(
  { admin, learner }: { admin: Client; learner: Client },
  { offering_id, content_item_id }: Record<string, number>,
) {
  const said = { title: "Beats", body: "Why do they beat?", content_item_id };
  const thread_id = await idOf(learner, `/community/offerings/${offering_id}/threads`, said);
  const post_id = await idOf(learner, `/community/threads/${thread_id}/posts`, { body: "They interfere." });
  await learner.put(`/community/posts/${post_id}/report`, { reason: "It is wrong" });
  const review = { rating: 4, review_text: "Clear" };
  const { body } = await learner.put(`/community/offerings/${offering_id}/review`, review);
  const news = { title: "Room 7", body: "The lab moves." };
  const announcement_id = await idOf(admin, `/community/offerings/${offering_id}/announcements`, news);
  return { thread_id, post_id, review_id: body.id, announcement_id };
}

/** The learner's private study data. */
async function makeStudy(learner: Client, { content_item_id, message_id }: Record<string, number>) {
  const deck_id = await idOf(learner, "/study/decks", { title: "Before the exam" });
  const card = { deck_id, content_item_id, front: "What beats?", back: "Two sines" };
  await idOf(learner, "/study/flashcards/from-answer", { message_id, deck_id });
  return {
    note_id: await idOf(learner, "/study/notes", { content_item_id, body: "Ask about beats" }),
    deck_id,
    flashcard_id: await idOf(learner, "/study/flashcards", card),
  };
}

/** A certificate for a completed offering, with the key that signs its badge. */
async function makeCertificate(world: World, offering_id: number) {
  const make = makersOf(world);
  const graduate = await make.person();
  await make.enrollment(graduate.id, offering_id, "COMPLETED");
  const all = "/assessments/certificates";
  const [{ id: certificate_id, certificate_code }] = (await world.as(graduate).get(`${all}/mine`)).body;
  await world.as().get(`${all}/verify/${certificate_code}/credential`);
  const [{ kid }] = (await world.as().get(`${all}/keys`)).body.keys;
  return { certificate_id, certificate_code, key_id: kid.split("/").at(-1), list_id: 1 };
}

async function idOf(client: Client, path: string, body: object): Promise<number> {
  const reply = await client.post(path, body);
  if (reply.status !== 201) throw new Error(`${path}: ${reply.status} ${reply.text}`);
  return reply.body.id;
}

async function makeDirectoryGroup(world: World, university_id: number): Promise<number> {
  const group = { university_id, display_name: "Tutors" };
  const [made] = await world.deps.db.insert(scimGroups).values(group).returning();
  return made?.id ?? 0;
}

/** One person per role in each tenant, and one without a role. */
async function peopleOf(world: World, scope: { university_id: number; department_id: number }) {
  const make = makersOf(world);
  const elsewhere = await make.university();
  const otherDepartment = await make.department(scope.university_id);
  const tenants = {
    "of the university": { university_id: scope.university_id, department_id: null },
    "of another university": { university_id: elsewhere.id, department_id: null },
    "of the department": scope,
    "of another department": { ...scope, department_id: otherDepartment.id },
  };
  const people: Holder[] = [
    { id: (await make.person()).id, name: "someone without a role", held: undefined },
  ];
  for (const [tenant, held] of Object.entries(tenants))
    for (const role of roles) {
      const { id } = await make.holder(role, held.university_id, held.department_id);
      people.push({ id, name: `${role} ${tenant}`, held: { ...held, role } });
    }
  return people;
}
