import { sql } from "drizzle-orm";
import type { Db } from "../../lib/platform/db/client.ts";
import { certificates } from "../../schema/db/assessment/certificates.ts";
import { gradingSchemes } from "../../schema/db/assessment/grades.ts";
import { labSubmissions } from "../../schema/db/assessment/lab-submissions.ts";
import { quizAttempts } from "../../schema/db/assessment/quiz-attempts.ts";
import { discussionPosts, discussionThreads } from "../../schema/db/community/discussions.ts";
import { courseReviews } from "../../schema/db/community/reviews.ts";
import { universityOffices } from "../../schema/db/courses/accommodations.ts";
import { announcements } from "../../schema/db/courses/announcements.ts";
import { assets } from "../../schema/db/courses/assets.ts";
import { coursePrerequisites } from "../../schema/db/courses/courses.ts";
import { courseExemptions } from "../../schema/db/courses/exemptions.ts";
import { invitations } from "../../schema/db/courses/invitations.ts";
import { moduleTemplates } from "../../schema/db/courses/module-templates.ts";
import { offeringGroups } from "../../schema/db/courses/offering-groups.ts";
import { courseOfferingInstructors } from "../../schema/db/courses/offerings.ts";
import { apiKeys } from "../../schema/db/identity/api-keys.ts";
import { identityProviders } from "../../schema/db/identity/identity-providers.ts";
import { userUniversityRoles } from "../../schema/db/identity/roles.ts";
import { samlProviders } from "../../schema/db/identity/saml-providers.ts";
import { universityDomains } from "../../schema/db/identity/university-domains.ts";
import { cartridgeImports } from "../../schema/db/integrations/cartridges.ts";
import { imports } from "../../schema/db/integrations/imports.ts";
import { ltiContexts, offeringStaff } from "../../schema/db/integrations/lti-contexts.ts";
import { ltiPeople } from "../../schema/db/integrations/lti-people.ts";
import { ltiDeployments, ltiPlatforms } from "../../schema/db/integrations/lti-platforms.ts";
import { ltiToolDeployments, ltiTools } from "../../schema/db/integrations/lti-tools.ts";
import { oneRosterSources } from "../../schema/db/integrations/one-roster.ts";
import { scimGroups } from "../../schema/db/integrations/scim.ts";
import { dataRequests } from "../../schema/db/operations/data-requests.ts";
import { retentionHolds, retentionPolicies } from "../../schema/db/operations/retention.ts";
import { makersOf } from "./makers.ts";
import type { Values } from "./operations.ts";
import { insertTrial } from "./trial.ts";
import type { World } from "./world.ts";

/** Creates one of everything that belongs to a university. Returns values by parameter and field name. */
export async function buildOwnership(world: World, university_id: number): Promise<Values> {
  const make = makersOf(world);
  const { db } = world.deps;
  const idOf = (rows: { id: number }[]): number => rows[0]?.id ?? 0;
  const department = await make.department(university_id);
  const [course, required] = [await make.course(university_id), await make.course(university_id)];
  const offering = await make.offering(course);
  const module = await make.module(course.id);
  const parent = await make.module(course.id);
  const { pool, questions } = await make.questionPool(course);
  const data_json = { question_pool_id: pool.id };
  const item = await make.contentItem(module, university_id, { type: "quiz", data_json });
  await make.warming(item.id);
  const lab = await make.contentItem(module, university_id, { type: "engineering_lab" });
  const student = await make.holder("student", university_id);
  await make.enrollment(student.id, offering.id);
  const attempt = { user_id: student.id, course_offering_id: offering.id, content_item_id: item.id };
  const scheme = { letter_scale: [{ letter: "A", min_percent: 0 }], passing_percent: 60, groups: [] };
  await db
    .insert(gradingSchemes)
    .values({ course_offering_id: offering.id, ...scheme, release_mode: "MANUAL" });
  const submission = { ...attempt, content_item_id: lab.id };
  const enrollment = await make.enrollment((await make.person()).id, offering.id);
  // Recommended only, to keep enrollment in the course possible.
  const link = { course_id: course.id, prerequisite_course_id: required.id };
  await db.insert(coursePrerequisites).values({ ...link, prerequisite_type: "RECOMMENDED" });
  await db.insert(courseOfferingInstructors).values({ course_offering_id: offering.id, user_id: student.id });
  const thread = idOf(
    await db
      .insert(discussionThreads)
      .values({ course_offering_id: offering.id, title: "Own" })
      .returning({ id: discussionThreads.id }),
  );
  const post = { thread_id: thread, user_id: student.id, body: "Own" };
  const certificate = {
    ...{ user_id: student.id, course_offering_id: offering.id, certificate_code: make.unique("code") },
    ...{
      printed_name: "Own",
      course_title: "Own",
      university_name: "Own",
      issued_at: "2026-03-10T12:00:00Z",
    },
  };
  const review = { user_id: student.id, course_offering_id: offering.id, rating: 4 };
  const said = { title: "Own", body: "Own", published_at: "2026-03-01T00:00:00Z" };
  const announcement = { ...said, university_id, course_offering_id: offering.id };
  const exemption = { ...link, user_id: student.id };
  const role = { user_id: student.id, university_id, role: "TA" as const };
  const moment = "2026-03-10T12:00:00Z";
  const invitation = { university_id, email: "own@example.edu", role: "TA" as const };
  const invited = { ...invitation, created_at: moment, expires_at: "2026-03-17T12:00:00Z" };
  const run = {
    university_id,
    format: "CSV" as const,
    is_dry_run: true,
    overrides: false,
    total: 0,
    created_at: moment,
  };
  const client = { client_id: "own", secret_ciphertext: "own" };
  const machine = {
    university_id,
    name: "own",
    scopes: ["people:read" as const],
    key_hash: "",
    maker_id: student.id,
    expires_at: "2100-01-01T00:00:00Z",
  };
  const trusted = { university_id, name: "own", label: "Own", issuer: "https://id.example.edu", ...client };
  const asset = { university_id, url: "https://cdn.example.edu/own.pdf", asset_type: "pdf" };
  const template = { university_id, template_type: "UNIT" as const, title: "Own" };
  const addresses = {
    auth_login_url: "https://lms.example.org/auth",
    auth_token_url: "https://lms.example.org/token",
    jwks_url: "https://lms.example.org/keys",
  };
  const [trustedProvider] = await db.insert(identityProviders).values(trusted).returning();
  if (!trustedProvider) throw new Error("no provider");
  await db.insert(samlProviders).values({
    identity_provider_id: trustedProvider.id,
    sso_url: "https://idp.example.org/sso",
    certificates: [],
    certificate: "own",
    metadata_read_at: "2026-01-01T00:00:00Z",
    metadata_tried_at: "2026-01-01T00:00:00Z",
  });
  const [lms] = await db
    .insert(ltiPlatforms)
    .values({ university_id, name: "LMS", issuer: "https://lms.example.org", client_id: "own", ...addresses })
    .returning();
  if (!lms) throw new Error("no platform");
  const place = idOf(
    await db.insert(ltiDeployments).values({ platform_id: lms.id, deployment_id: "1" }).returning(),
  );
  const lti_tool_id = idOf(
    await db
      .insert(ltiTools)
      .values({
        ...{ university_id, name: "Tool", client_id: make.unique("tool"), subject_key: "0".repeat(32) },
        ...{ login_url: addresses.auth_login_url, launch_url: addresses.auth_login_url },
        ...{ redirect_uris: [addresses.auth_login_url], jwks_url: addresses.jwks_url },
        in_navigation: true,
      })
      .returning(),
  );
  await db.insert(ltiToolDeployments).values({ tool_id: lti_tool_id, university_id });
  const tool = await make.contentItem(module, university_id, {
    ...{ type: "external_tool", data_json: { lti_tool_id, submission_review: {} } },
  });
  await db.execute(sql`
    insert into lab_submissions (user_id, course_offering_id, content_item_id, attempt_number, submitted_at)
    values (${student.id}, ${offering.id}, ${tool.id}, 1, now())`);
  const bound = {
    ...{ platform_id: lms.id, deployment_id: place, context_id: "own", title: "Own" },
    ...{ course_offering_id: offering.id, university_id },
  };
  const known = { platform_id: lms.id, subject: "own", user_id: student.id, linked_by: "SIGN_IN" as const };
  return {
    university_id,
    department_id: department.id,
    term_id: (await make.term(university_id)).id,
    course_id: course.id,
    course_ids: [course.id],
    prerequisite_course_id: required.id,
    offering_id: offering.id,
    course_offering_id: offering.id,
    module_id: module.id,
    module_ids: [module.id],
    parent_module_id: parent.id,
    requires_module_ids: [(await make.module(course.id)).id],
    content_id: item.id,
    content_ids: [item.id],
    content_item_id: item.id,
    content_item_ids: [lab.id],
    // It takes either these or a course.
    "createPromptTrial.content_item_ids": null,
    assignment_id: lab.id,
    scorm_item_id: (await make.contentItem(module, university_id, { type: "scorm" })).id,
    external_tool_id: tool.id,
    content_type_id: item.content_type_id,
    user_id: student.id,
    user_ids: [student.id],
    enrollment_id: enrollment.id,
    // Decks belong to people, not to universities. A card may be in no deck.
    deck_id: undefined,
    thread_id: thread,
    post_id: idOf(await db.insert(discussionPosts).values(post).returning({ id: discussionPosts.id })),
    review_id: idOf(await db.insert(courseReviews).values(review).returning({ id: courseReviews.id })),
    announcement_id: idOf(
      await db.insert(announcements).values(announcement).returning({ id: announcements.id }),
    ),
    exemption_id: idOf(await db.insert(courseExemptions).values(exemption).returning()),
    role_id: idOf(await db.insert(userUniversityRoles).values(role).returning()),
    invitation_id: idOf(await db.insert(invitations).values(invited).returning()),
    identity_provider_id: trustedProvider.id,
    lti_platform_id: lms.id,
    lti_deployment_id: place,
    lti_tool_id,
    one_roster_source_id: idOf(
      await db
        .insert(oneRosterSources)
        .values({
          ...{ university_id, name: "Own", client_id: "own", secret_ciphertext: "sealed" },
          ...{ service_url: addresses.auth_login_url, token_url: addresses.auth_token_url },
          mode: "FULL",
          state: "REQUESTED",
          due_at: "2027-01-01T00:00:00Z",
        })
        .returning(),
    ),
    lti_context_id: idOf(await db.insert(ltiContexts).values(bound).returning()),
    offering_staff_id: idOf(
      await db
        .insert(offeringStaff)
        .values({
          ...{ course_offering_id: offering.id, university_id, user_id: student.id },
          ...{ role: "TA" as const, source: "LAUNCH" as const },
        })
        .returning(),
    ),
    lti_person_id: idOf(await db.insert(ltiPeople).values(known).returning()),
    office_id: idOf(
      await db
        .insert(universityOffices)
        .values({ university_id, user_id: student.id, office_right: "accommodation:write" })
        .returning(),
    ),
    // A hold applies to a person or to an offering.
    "placeRetentionHold.course_offering_id": null,
    hold_id: await holdOf(db, university_id, student.id),
    data_request_id: await dataRequestOf(db, university_id, student.id),
    group_id: idOf(
      await db
        .insert(offeringGroups)
        .values({ course_offering_id: offering.id, name: "Own", self_enrollment: true })
        .returning(),
    ),
    api_key_id: idOf(await db.insert(apiKeys).values(machine).returning()),
    directory_group_id: idOf(
      await db.insert(scimGroups).values({ university_id, display_name: "Own" }).returning(),
    ),
    university_domain_id: idOf(
      await db.insert(universityDomains).values({ university_id, domain: "own.example.org" }).returning(),
    ),
    offer_id: idOf(
      await db
        .insert(invitations)
        .values({ ...invited, role: "STUDENT" as const })
        .returning(),
    ),
    import_id: idOf(await db.insert(imports).values(run).returning()),
    cartridge_import_id: idOf(
      await db
        .insert(cartridgeImports)
        .values({ university_id, course_id: course.id, is_dry_run: true, created_at: run.created_at })
        .returning(),
    ),
    asset_id: idOf(await db.insert(assets).values(asset).returning()),
    module_template_id: idOf(await db.insert(moduleTemplates).values(template).returning()),
    question_pool_id: pool.id,
    question_id: idOf(questions),
    certificate_id: idOf(await db.insert(certificates).values(certificate).returning()),
    submission_id: idOf(await db.insert(labSubmissions).values(submission).returning()),
    ...(await insertTrial(world, { course_id: course.id, content_item_id: item.id })),
    attempt_id: idOf(await db.insert(quizAttempts).values(attempt).returning()),
  };
}

/** A retention hold on a person. Adds a retention policy if the university has none. */
export async function holdOf(db: Db, university_id: number, user_id: number): Promise<number> {
  await db.insert(retentionPolicies).values({ university_id, archive_days: 1825 }).onConflictDoNothing();
  const hold = { university_id, user_id, reason: "Appeal" };
  const [held] = await db.insert(retentionHolds).values(hold).returning();
  if (!held) throw new Error("nothing was held");
  return held.id;
}

/** A pending export request of one of a university's people. */
export async function dataRequestOf(db: Db, university_id: number, user_id: number): Promise<number> {
  const asked = { university_id, user_id, kind: "EXPORT" as const, received_on: "2026-03-01" };
  const [made] = await db
    .insert(dataRequests)
    .values({ ...asked, made_at: "2026-03-01T12:00:00Z" })
    .returning();
  if (!made) throw new Error("nothing was asked");
  return made.id;
}
