import { type SQL, sql } from "drizzle-orm";
import { fingerprint } from "../../lib/platform/text/fingerprint.ts";
import { demoAdministrator, demoInstructor, demoStudent } from "../../scripts/dev/seed/accounts.ts";

/** The token, the challenge of the code verifier and the password of the examples. */
const token = fingerprint("c2l4dGVlbiByYW5kb20gYnl0ZXMsIG9yIG1vcmU");

const whoseEmail = (email: string): SQL => sql`(select id from users where email = ${email})`;
const administrator = whoseEmail(demoAdministrator.email);
const instructor = whoseEmail(demoInstructor.email);
const student = whoseEmail(demoStudent.email);

/** A row of university 1 that the administrator may change, created by that statement. */
const made = (statement: SQL, id: string, beside: SQL = sql`1 as university_id`): SQL =>
  sql`with made as (${statement} returning id) select id as ${sql.identifier(id)}, ${administrator} as person, ${beside} from made`;

const platform = sql`
  insert into lti_platforms (university_id, name, issuer, client_id, auth_login_url, auth_token_url, jwks_url)
  select 1, 'LMS', 'https://lms.example.edu', 'client', one, one, one from (values ('https://lms.example.edu/lti')) as at (one)`;

const tool = sql`
  insert into lti_tools (university_id, name, client_id, login_url, launch_url, redirect_uris, jwks_url, subject_key)
  select 1, 'Tool', 'client', one, one, array[one], one, repeat('0', 32) from (values ('https://tool.example.com/lti')) as at (one)`;

const source = sql`
  insert into one_roster_sources (university_id, name, service_url, token_url, client_id, secret_ciphertext, mode, state, due_at)
  select 1, 'Records', one, one, 'client', 'sealed', 'full', 'imported', service_now()
  from (values ('https://records.example.edu/v1p2')) as at (one)`;
const platformTool = sql`
  insert into lti_tools (name, client_id, login_url, launch_url, redirect_uris, jwks_url, subject_key)
  select 'Tool', 'client', one, one, array[one], one, repeat('0', 32) from (values ('https://tool.example.com/lti')) as at (one)`;

const provider = sql`
  insert into identity_providers (university_id, name, label, issuer, client_id, secret_ciphertext)
  values (1, 'other', 'Other', 'https://other.example.edu', 'client', 'sealed')`;

const invitation = (email: SQL): SQL => sql`
  insert into invitations (university_id, email, role, invited_by_user_id, created_at, expires_at, token_hash)
  values (1, ${email}, 'instructor', ${administrator}, service_now(), service_now() + interval '1 day', ${token})`;

const office = (right: string, beside: SQL): SQL => sql`
  with made as (
    insert into university_offices (university_id, user_id, office_right) values (1, ${administrator}, ${right}))
  select ${administrator} as person, 1 as university_id, ${beside}`;

const group = sql`insert into offering_groups (course_offering_id, name) values (1, 'Team B')`;
const inOffering = sql`1 as offering_id, 4 as user_id`;

/** The codes and keys of launches derive from it. */
const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

const withFile = (purpose: string, name: string, type: string): SQL => sql`
  with object as (insert into stored_objects (university_id, key, size) values (1, 'picture', 70) returning id),
  made as (
    insert into files (id, object_id, purpose, state, name, media_type, size, university_id, course_id, uploaded_by_user_id)
    overriding system value
    select 1, id, ${purpose}, 'ready', ${name}, ${type}, 70, 1, ${purpose === "import" ? 1 : null}::int, ${administrator}
    from object)
  select 1 as university_id, ${administrator} as person`;

/** Makes the first message an answer, and the first deck its learner's. */
const ownMessage = sql`
  with answer as (update chat_messages set role = 'assistant' where id = 1),
    owner as (select user_id from chat_sessions where id = (select session_id from chat_messages where id = 1)),
    cards as (update flashcards set deck_id = null where deck_id = 1),
    deck as (update flashcard_decks set user_id = (select user_id from owner) where id = 1)
  select user_id as person from owner`;

const attempt = sql`
  with made as (
    insert into quiz_attempts (user_id, course_offering_id, content_item_id, attempt_number, started_at)
    values (${student}, 1, 3, 90, service_now()) returning id
  ), asked as (
    insert into quiz_attempt_questions (quiz_attempt_id, position, question_id, version, graded_version)
    select made.id, 1, 1, 1, 1 from made)
  select id as attempt_id, ${student} as person from made`;

const node = sql`
  insert into cache_nodes (content_item_id, message, prompt_name, prompt_version, model, prompt_fingerprint,
    content_fingerprint, chunks)
  values (1, 'Start.', 'tutor', 1, 'model', 'prompt', 'content', '["It stops."]')`;

/** A learner's submission that no grader has claimed. */
const submitted = sql`(select min(id) from lab_submissions where status = 'submitted')`;

/**
 * Rows that an example needs in addition to the demonstration: one statement each, whose row has the path's
 * parameters and the caller (`person`; anonymous without one).
 */
export const arrangements = (password: string): Readonly<Record<string, SQL>> => {
  const withPassword = sql`
    with made as (update users set password_hash = ${password} where id = ${student}) select ${student} as person`;
  const withToken = (purpose: string): SQL => sql`
    with made as (
      insert into one_time_tokens (user_id, purpose, token_hash, email, expires_at)
      select id, ${purpose}, ${token}, email, service_now() + interval '1 hour' from users where id = ${student}
    ), known as (update users set password_hash = ${password} where id = ${student})
    select 1 as nothing`;
  return {
    login: sql`
      with made as (
        insert into users (email, full_name, password_hash) values ('ada@example.edu', 'Ada', ${password}))
      select 1 as nothing`,
    confirmPasswordReset: withToken("password_reset"),
    verifyEmail: withToken("verify_email"),
    acceptInvitationAnew: sql`with made as (${invitation(sql`'ada@example.edu'`)}) select 1 as nothing`,
    acceptMyInvitation: sql`
      with made as (${invitation(sql`${demoStudent.email}`)}) select ${student} as person`,
    changeMyPassword: withPassword,
    changeMyEmail: withPassword,
    eraseMyAccount: withPassword,
    mapDirectoryGroup: made(
      sql`insert into scim_groups (university_id, display_name) values (1, 'Assistants')`,
      "directory_group_id",
    ),
    updateUniversityProvider: made(provider, "identity_provider_id"),
    grantProviderDomains: made(provider, "identity_provider_id"),
    updateLtiPlatform: made(platform, "lti_platform_id"),
    updateLtiTool: made(tool, "lti_tool_id"),
    requestOneRosterSync: made(source, "one_roster_source_id"),
    updatePlatformLtiTool: made(platformTool, "platform_lti_tool_id"),
    admitLtiDeployment: made(platform, "lti_platform_id"),
    grantAccommodation: office("accommodation:write", sql`4 as user_id`),
    setRetention: office("retention:write", sql`4 as user_id`),
    placeRetentionHold: office("retention:write", sql`4 as user_id`),
    makeDataRequest: office("data-request:write", sql`4 as user_id`),
    updateModuleTemplate: made(
      sql`insert into module_templates (template_type, title) values ('unit', 'Unit')`,
      "module_template_id",
    ),
    updateAsset: made(
      sql`insert into assets (university_id, url, asset_type) values (1, 'https://cdn.example.edu/a.png', 'video')`,
      "asset_id",
    ),
    updateGroup: made(group, "group_id", inOffering),
    putGroupMember: made(group, "group_id", sql`1 as offering_id, ${student} as user_id`),
    setGroupDates: made(group, "group_id", inOffering),
    updateFeatureRequest: made(
      sql`insert into feature_requests (user_id, title, description) values (${student}, 'Dark', 'At night')`,
      "feature_request_id",
    ),
    grantCourseExemption: sql`
      with made as (
        insert into course_prerequisites (course_id, prerequisite_course_id) values (2, 1) on conflict do nothing)
      select 2 as course_id, ${instructor} as person`,
    updateContentType: made(
      sql`insert into content_types (name, label) values ('podcast', 'Podcasts')`,
      "content_type_id",
    ),
    grantQuizOverride: sql`select 1 as offering_id, 3 as content_item_id, ${student} as user_id, ${instructor} as person`,
    throwOutQuestion: sql`
      select 1 as offering_id, 3 as content_item_id, ${instructor} as person, (
        select min(asked.id) from questions as asked join content_items as item on item.id = 3
        where asked.question_pool_id = pool_of_quiz(item.data_json)) as question_id`,
    grantSubmissionOverride: sql`select 1 as offering_id, 5 as assignment_id, ${student} as user_id, ${instructor} as person`,
    setCourseGrade: sql`select 2 as offering_id, ${student} as user_id, ${instructor} as person`,
    setItemGrade: sql`select 2 as offering_id, ${student} as user_id, 12 as content_item_id, ${instructor} as person`,
    createSubmission: sql`select 1 as offering_id, 5 as assignment_id, ${student} as person`,
    updateChatSession: sql`select id as session_id, user_id as person from chat_sessions order by id limit 1`,
    rateChatAnswer: sql`
      select chat_messages.id as message_id, user_id as person
      from chat_messages join chat_sessions on chat_sessions.id = session_id where role = 'assistant' order by 1 limit 1`,
    beginPrivateThread: sql`
      with made as (
        insert into enrollments (user_id, course_offering_id) values (4, 2) on conflict do nothing)
      select 2 as offering_id, ${instructor} as person`,
    writeCourseReview: sql`select 1 as offering_id, 6 as person`,
    createCourse: sql`
      with made as (update courses set code = 'EE-100' where code = 'EE-101') select ${administrator} as person`,
    createModule: sql`
      with made as (
        insert into module_templates (id, template_type, title) overriding system value values (1, 'unit', 'Unit')),
      moved as (update modules set sequence_index = 90 where parent_module_id = 1)
      select ${instructor} as person`,
    updateModule: sql`
      with made as (
        insert into module_templates (id, template_type, title) overriding system value values (1, 'unit', 'Unit'))
      select 3 as module_id, ${instructor} as person`,
    createContent: sql`
      with moved as (update content_items set sequence_index = sequence_index + 50 where module_id = 1)
      select ${instructor} as person`,
    issueCertificate: sql`
      with made as (
        insert into enrollments (user_id, course_offering_id, status, completed_at, completion_source)
        values (1, 3, 'completed', service_now(), 'staff'))
      select 3 as offering_id, ${instructor} as person`,
    agreeOnGrade: sql`
      with marked as (
        insert into submission_marks (submission_id, place, grader_id, score, marked_at)
        values (${submitted}, 1, 3, 15, service_now()), (${submitted}, 2, 4, 18, service_now()))
      select ${submitted} as submission_id, ${instructor} as person`,
    setGradingScheme: sql`select 1 as offering_id, ${instructor} as person`,
    exchangeLtiCode: sql`
      with platform as (${platform} returning id), made as (
        insert into lti_launch_codes (code_hash, platform_id, user_id, challenge, launch, expires_at)
        select ${fingerprint(verifier)}, id, ${student}, ${fingerprint(verifier)},
          '{"university_id": 1, "course_id": 1, "course_offering_id": 1, "content_item_id": 1, "module_id": 1, "role": "student"}',
          service_now() + interval '1 minute' from platform)
      select 1 as nothing`,
    decideDataRequest: sql`
      with office as (
        insert into university_offices (university_id, user_id, office_right)
        values (1, ${administrator}, 'data-request:write')
      ), made as (
        insert into data_requests (university_id, user_id, kind, received_on, made_by_user_id, made_at)
        values (1, 4, 'export', service_now()::date, ${instructor}, service_now()) returning id)
      select 1 as university_id, id as data_request_id, ${administrator} as person from made`,
    setMyAvatar: withFile("avatar", "me.png", "image/png"),
    setUniversityLogo: withFile("logo", "logo.png", "image/png"),
    startCartridgeImport: withFile("import", "course.imscc", "application/zip"),
    createFlashcardFromAnswer: ownMessage,
    saveQuizResponses: attempt,
    submitQuizAttempt: attempt,
    handOverChatSession: sql`select id as session_id, user_id as person from chat_sessions order by id limit 1`,
    sendChatMessage: sql`select id as session_id, user_id as person from chat_sessions order by id limit 1`,
    updateOfferingStaff: sql`
      with made as (
        insert into offering_staff (course_offering_id, university_id, user_id, role, source)
        values (1, 1, 4, 'ta', 'launch') returning id)
      select 1 as offering_id, id as offering_staff_id, ${instructor} as person from made`,
    updateChatTopicTreeNode: sql`
      with made as (${node} returning id)
      select 1 as content_item_id, id as node_id, ${instructor} as person from made`,
  };
};
