/*
 * The one list of every enumeration, in the spelling that is stored: lowercase.
 * Database checks, column types and request schemas are all derived from these lists.
 */

/** In rank order: a role may do everything that earlier ones may. */
export const roles = [
  "student",
  "ta",
  "instructor",
  "department_admin",
  "university_admin",
  "platform_admin",
] as const;
export type Role = (typeof roles)[number];

/** A stage of study, or a difficulty. */
export const courseLevels = [
  "undergraduate",
  "graduate",
  "postgraduate",
  "certificate",
  "other",
  "introductory",
  "intermediate",
  "advanced",
] as const;
export type CourseLevel = (typeof courseLevels)[number];

export const prerequisiteTypes = ["strict", "recommended", "co_requisite"] as const;
export type PrerequisiteType = (typeof prerequisiteTypes)[number];

export const visibilities = ["private", "public"] as const;
export type Visibility = (typeof visibilities)[number];

export const enrollmentStatuses = ["active", "completed", "dropped", "pending", "waitlisted"] as const;
export type EnrollmentStatus = (typeof enrollmentStatuses)[number];

/** The source of a completion: the owner (without effect), the staff, or the results. */
export const completionSources = ["self", "staff", "result"] as const;
export type CompletionSource = (typeof completionSources)[number];

/** Access to a course's content and tutor: everyone, or enrolled people. */
export const courseAccesses = ["open", "enrolled"] as const;
export type CourseAccess = (typeof courseAccesses)[number];

/** Enrollment in an offering: by everyone, by people with its key, or by its staff. */
export const enrollmentModes = ["open", "key", "staff"] as const;
export type EnrollmentMode = (typeof enrollmentModes)[number];

/** An enrollment is completed by every published item, or by the staff. */
export const completionRules = ["all_items", "manual"] as const;
export type CompletionRule = (typeof completionRules)[number];

export const moduleTypes = [
  "course_root",
  "unit",
  "chapter",
  "lesson",
  "topic",
  "section",
  "lab",
  "quiz",
  "other",
] as const;
export type ModuleType = (typeof moduleTypes)[number];

/** Names of the initial content types. Each has its own shape of `data_json`. */
export const contentTypeNames = [
  "video",
  "quiz",
  "engineering_lab",
  "text",
  "assignment",
  "resource",
  "scorm",
  "external_tool",
] as const;
export type ContentTypeName = (typeof contentTypeNames)[number];

// Inside `data_json`: lowercase on the wire too.
export const videoProviders = ["youtube", "vimeo", "internal"] as const;
/** The tutors that an exam silences for its taker. */
export const tutorScopes = ["course", "university"] as const;
export const quizModes = ["practice", "exam"] as const;
export const labFileRoles = ["student_visible", "hidden_test"] as const;
export const textBlockTypes = ["paragraph", "math", "image", "link_list"] as const;
export const scormVersions = ["1.2", "2004"] as const;
export type ScormVersion = (typeof scormVersions)[number];
/** What completes a SCORM package, what its grade is, and which of several attempts counts. */
export const scormCompletionRules = ["completed", "passed", "score"] as const;
export const scormGradeRules = ["score", "completion"] as const;
export const countedAttempts = ["highest", "first", "last"] as const;
export const resourceKinds = ["pdf", "article", "video"] as const;

/** Parts of an item that its tutor has not read; `rest` is the text beyond the limit. */
export const notReadKinds = ["film", "picture", "file", "page", "pool", "rest", "other"] as const;
export type NotReadKind = (typeof notReadKinds)[number];

export const questionKinds = [
  "single_choice",
  "multiple_choice",
  "true_false",
  "short_answer",
  "numeric",
] as const;
export type QuestionKind = (typeof questionKinds)[number];

/** How an answer with several correct options earns its points. */
export const questionScorings = ["all_or_nothing", "partial"] as const;
export type QuestionScoring = (typeof questionScorings)[number];

/** What everyone earns for a question that was thrown out. Without points it leaves the total. */
export const thrownOutCredits = ["full_points", "no_points"] as const;
export type ThrownOutCredit = (typeof thrownOutCredits)[number];

/** When the taker of a quiz may see the correct answers, in `data_json`. */
export const answerPolicies = ["after_submit", "after_due", "never"] as const;

/** Work that awaits its grade, is graded, or was returned for another attempt. */
export const labSubmissionStatuses = ["submitted", "graded", "returned"] as const;
export type LabSubmissionStatus = (typeof labSubmissionStatuses)[number];

/** State of an attempt at an item. Only quizzes are open; only submissions are returned. */
export const attemptStates = ["open", "submitted", "graded", "returned"] as const;

/** Whether a certificate is issued when an offering is completed, or by its staff alone. */
export const certificateIssuances = ["automatic", "by_staff"] as const;
export type CertificateIssuance = (typeof certificateIssuances)[number];

/** State of a certificate, as its verification shows it. */
export const certificateStates = ["valid", "expired", "revoked", "replaced"] as const;
/** The grader of a submission: a person, or the item's automatic grader. */
export const gradeSources = ["hand", "auto"] as const;
export type GradeSource = (typeof gradeSources)[number];

/** When learners see their grades in an offering: as soon as there is one, or when staff release them. */
export const releaseModes = ["automatic", "manual"] as const;
export type ReleaseMode = (typeof releaseModes)[number];

/** State of a cell of the gradebook. */
export const gradeStates = ["none", "submitted", "returned", "graded", "overridden", "excused"] as const;

/** The subject of a grade change: a submission, a quiz, a gradebook cell, or the course grade. */
export const gradeChangeKinds = [
  "submission_graded",
  "submission_returned",
  "quiz_regraded",
  "item_set",
  "points_changed",
  "course_set",
  "finalized",
  "reopened",
] as const;
export type GradeChangeKind = (typeof gradeChangeKinds)[number];

/** Kinds of the caller's own texts that search covers. */
export const ownWordKinds = ["note", "flashcard", "message"] as const;

/** Purposes of an uploaded file. */
export const filePurposes = ["asset", "submission", "feedback", "post", "avatar", "logo", "import"] as const;
export type FilePurpose = (typeof filePurposes)[number];

/** State of a file: its bytes are awaited, it is checked, it can be read, or it was rejected. */
export const fileStates = ["pending", "checking", "ready", "refused"] as const;
export type FileState = (typeof fileStates)[number];

/** Kinds of events in the activity feed. */
export const activityVerbs = [
  "progressed",
  "completed",
  "asked",
  "attempted",
  "submitted",
  "posted",
  "reviewed",
] as const;

/** State of a flashcard in spaced repetition (FSRS). */
export const flashcardStates = ["new", "learning", "review", "relearning"] as const;
export type FlashcardState = (typeof flashcardStates)[number];

/** How well a flashcard was remembered, worst first: FSRS counts these from 1. */
export const flashcardRatings = ["again", "hard", "good", "easy"] as const;
export type FlashcardRating = (typeof flashcardRatings)[number];

/** Kinds of notifications. */
export const notificationKinds = [
  "announcement",
  "discussion_reply",
  "due_soon",
  "grade_outdated",
  "grade_released",
  "place_obtained",
  "private_message",
  "rollout_stopped",
  "tutor_handover",
] as const;
export type NotificationKind = (typeof notificationKinds)[number];

/** Whether a kind of notification is also mailed: immediately, or in a daily digest. */
export const notificationMails = ["off", "immediate", "daily"] as const;
export type NotificationMail = (typeof notificationMails)[number];

/** Outcome of the reports of a post or review: its text is hidden, or stays. */
export const reportOutcomes = ["hidden", "kept"] as const;
export type ReportOutcome = (typeof reportOutcomes)[number];

/** Readers of a thread: the offering's people, or only its author and the staff. */
export const threadAudiences = ["class", "staff"] as const;
export type ThreadAudience = (typeof threadAudiences)[number];

/** Whether learners receive a new shared answer immediately, or after staff approve it. */
export const tutorModes = ["immediate", "reviewed"] as const;
export type TutorMode = (typeof tutorModes)[number];

/** Whether a chat session still follows the shared tree of answers. */
export const cacheStates = ["tracking", "diverged"] as const;
export type CacheState = (typeof cacheStates)[number];

export const messageRoles = ["user", "assistant"] as const;
export type MessageRole = (typeof messageRoles)[number];

/** Source of an assistant's answer. */
export const answerSources = ["llm", "cache"] as const;

/** Why a model stopped before the end of its answer, or was stopped by the learner. */
const cutOffs = ["length", "refusal", "empty", "stopped"] as const;

/** Why an answer is not shared: it ended early, or its question was invalid. */
export const answerStops = [...cutOffs, "malformed"] as const;
export type AnswerStop = (typeof answerStops)[number];

/** State of a generation: running, ended, or failed too often. */
export const generationStates = ["writing", "complete", "failed"] as const;
export type GenerationState = (typeof generationStates)[number];

/** End of an LLM call. `started` has not reported an end; `lost` was taken over by another producer. */
export const callOutcomes = ["started", "complete", ...cutOffs, "failed", "timeout", "lost"] as const;
export type CallOutcome = (typeof callOutcomes)[number];

/** Purpose of an LLM call: a learner's message, a pre-generated answer, a prompt trial, or an embedding. */
export const callPurposes = ["turn", "warm", "trial", "embedding"] as const;
export type CallPurpose = (typeof callPurposes)[number];

/** State of a warming: waiting for a process, running, done, or ended early. */
export const warmingStates = ["waiting", "running", "done", "stopped"] as const;
export type WarmingState = (typeof warmingStates)[number];

/** Why a warming ended early. */
export const warmingStops = ["budget", "llm", "changed"] as const;
export type WarmingStop = (typeof warmingStops)[number];

/**
 * State of a batch of calls: collected, being sent, at the provider, or ended with answers, with unknown results, or
 * unsent.
 */
export const llmBatchStates = ["gathering", "sending", "sent", "ended", "lost", "refused"] as const;
export type LlmBatchState = (typeof llmBatchStates)[number];

/** Outcome of an answer in a warming. */
export const warmingNodeStates = ["waiting", "made", "found", "left_out", "failed"] as const;
export type WarmingNodeState = (typeof warmingNodeStates)[number];

/** Kinds of prompt trials: the next answer at recorded places, simulated conversations, or leak attacks. */
export const trialKinds = ["step", "free", "leak"] as const;
export type TrialKind = (typeof trialKinds)[number];

export const trialStates = ["ready", "running", "finished", "stopped"] as const;
export type TrialState = (typeof trialStates)[number];

/** `running` has a lease; `skipped` was not requested, and `failed` got no answer. */
export const trialCaseStates = ["waiting", "running", "answered", "failed", "skipped"] as const;
export type TrialCaseState = (typeof trialCaseStates)[number];

/** Why a case has no answer: the limit, the budget, a stop, a changed version, or the LLM. */
export const trialCaseReasons = [
  "limit",
  "budget",
  "stopped",
  "prompt_changed",
  "topic_gone",
  "no_price",
  "llm",
] as const;
export type TrialCaseReason = (typeof trialCaseReasons)[number];

/** Checks of an answer without a model, in the order of the report. */
export const trialChecks = [
  "question_readable",
  "key_valid",
  "options",
  "language",
  "length",
  "formulas",
  "ends_with_question",
  "answer_not_named",
  "prompt_not_quoted",
  "never_say",
  "key_not_told",
  "notes_not_told",
  "pool_not_told",
] as const;
export type TrialCheck = (typeof trialChecks)[number];

/** Checks that find leaks. */
export const leakChecks = [
  "answer_not_named",
  "prompt_not_quoted",
  "never_say",
  "key_not_told",
  "notes_not_told",
  "pool_not_told",
] as const satisfies TrialCheck[];

/** Checks of an answer before it is stored, in the order of the report. */
export const answerChecks = [
  "question_readable",
  "question_asked",
  "key_valid",
  "not_refused",
  "language",
  "length",
  "formulas",
  "answer_not_named",
  "prompt_not_quoted",
  "never_say",
  "notes_not_told",
] as const;
export type AnswerCheck = (typeof answerChecks)[number];

/** The next LLM call of a case: the version's answer, or its comparison in both orders. */
export const trialStages = ["answer", "judge", "judge_swapped"] as const;
export type TrialStage = (typeof trialStages)[number];

/** The better answer of a pair: the candidate's, the recorded one, or neither. */
export const trialVerdicts = ["candidate", "recorded", "tie"] as const;
export type TrialVerdict = (typeof trialVerdicts)[number];

/** Criteria of the judge, in the order of its prompt. */
export const judgeCriteria = [
  "starts_from_learner",
  "one_step",
  "no_answer_before_try",
  "correct",
  "question_clear",
  "language_and_level",
  "length_and_tone",
] as const;
export type JudgeCriterion = (typeof judgeCriteria)[number];

/** Why a pair was not judged: a faulty answer, an unreadable judge, or a reason of the case. */
export const unjudgedReasons = [
  "failed_checks",
  "unreadable",
  "limit",
  "budget",
  "stopped",
  "topic_gone",
  "no_price",
  "llm",
] as const;
export type UnjudgedReason = (typeof unjudgedReasons)[number];

/** Target of an attack: the correct option, the notes, the prompt, forbidden statements, or quiz keys. */
export const attackAims = ["key", "notes", "prompt", "never_say", "pool"] as const;
export type AttackAim = (typeof attackAims)[number];

/** Technique of an attack. */
export const attackCategories = [
  "direct",
  "authority",
  "role_play",
  "encoding",
  "continuation",
  "injection",
  "elimination",
  "pressure",
  "reframing",
  "by_parts",
] as const;
export type AttackCategory = (typeof attackCategories)[number];

/** Simulated learners. Each chooses its messages by its own rule. */
export const trialPersonas = ["sure", "mistaken", "hint_seeking", "lost", "talkative"] as const;
export type TrialPersona = (typeof trialPersonas)[number];
/** State of a rollout. */
export const rolloutStates = ["running", "promoted", "stopped"] as const;
export type RolloutState = (typeof rolloutStates)[number];

/** Unit of a rollout's arms: the learners of an offering together, or each person. */
export const rolloutUnits = ["offering", "person"] as const;
export type RolloutUnit = (typeof rolloutUnits)[number];

export const rolloutArms = ["base", "candidate"] as const;
export type RolloutArm = (typeof rolloutArms)[number];

/** Measures that compare the arms of a rollout, in the order of the checks. */
export const rolloutLimits = [
  "malformed",
  "refusals",
  "cut_offs",
  "length",
  "downs",
  "cost",
  "first_word",
] as const;
export type RolloutLimit = (typeof rolloutLimits)[number];

/** Why a rollout ended without a promotion: a stop, a moved label, or a limit. */
export const rolloutStops = ["by_hand", "production_moved", ...rolloutLimits] as const;
export type RolloutStop = (typeof rolloutStops)[number];

/** The exhausted budget of the tutor. */
export const tutorBudgetLimits = ["turns_per_day", "turns_at_once", "tokens_per_month"] as const;
export type TutorBudgetLimit = (typeof tutorBudgetLimits)[number];

export const feedbackRatings = ["up", "down"] as const;
export type FeedbackRating = (typeof feedbackRatings)[number];

export const promptTypes = ["text"] as const;
export type PromptType = (typeof promptTypes)[number];

export const featureRequestStatuses = [
  "pending",
  "under_review",
  "planned",
  "completed",
  "declined",
] as const;
export type FeatureRequestStatus = (typeof featureRequestStatuses)[number];

/** Sources of cloud credentials, in order of preference. */
export const credentialSources = ["stored", "environment", "default_chain"] as const;
export type CredentialSource = (typeof credentialSources)[number];

/** Facts in reports: see the views of schema/functions/operations/report-facts.sql. */
export const reportMeasures = [
  "signups",
  "drops",
  "topics_started",
  "topics_completed",
  "trees_completed",
  "enrollments_active",
  "enrollments_completed",
  "enrollments_dropped",
  "enrollments_pending",
  "enrollments_waitlisted",
  "notes",
  "flashcards",
  "flashcard_reviews",
  "discussion_posts",
  "course_reviews",
  "course_ratings",
  "quizzes_submitted",
  "quizzes_passed",
  "quizzes_failed",
  "quizzes_scored",
  "quiz_scores",
  "labs_submitted",
  "labs_graded",
  "labs_scored",
  "lab_scores",
  "assignments_submitted",
  "assignments_graded",
  "assignments_scored",
  "assignment_scores",
  "certificates_issued",
  "certificates_revoked",
  "chat_sessions",
  "chat_messages",
  "conversations",
  "conversation_milliseconds",
  "divergences",
  "hits",
  "misses",
  "joined",
] as const;
export type ReportMeasure = (typeof reportMeasures)[number];

/**
 * Activity with monthly sums per course and in total (schema/functions/operations/monthly-report-aggregates.sql): people in a
 * course, at a topic, and with the tutor.
 */
export const monthMeasures = [
  "people",
  "all_people",
  "topics",
  "all_topics",
  "askers",
  "all_askers",
  "milliseconds",
  "all_milliseconds",
  "questions",
  "all_questions",
  "people_by_day",
  "university_people",
  "university_people_by_day",
] as const;
export type MonthMeasure = (typeof monthMeasures)[number];

/** Facts with monthly sums. Completed topics are also summed by the month of their start. */
export const factMonthMeasures = [
  "topics_started",
  "topics_completed",
  "conversations",
  "conversation_milliseconds",
] as const;
export type FactMonthMeasure = (typeof factMonthMeasures)[number];

/** Purposes of a mailed one-time token. */
export const tokenPurposes = ["password_reset", "verify_email", "change_email"] as const;
export type TokenPurpose = (typeof tokenPurposes)[number];

/** The kinds of mail that the service sends. */
export const mailKinds = [
  "password_reset",
  "password_changed",
  "verify_email",
  "change_email",
  "email_changed",
  "invitation",
  "notifications",
  "api_keys",
  "data_request",
] as const;
export type MailKind = (typeof mailKinds)[number];

/** State of an invitation; an expired one can be sent again. */
export const invitationStatuses = ["open", "accepted", "declined", "revoked", "expired"] as const;

/** Origin of an offer: a person, an import, a directory, or the operator. */
export const offerSources = ["operation", "import", "directory", "installation"] as const;
export type OfferSource = (typeof offerSources)[number];

/** Source of the university's name and id of a person. */
export const memberSources = ["import", "staff", "directory"] as const;
export type MemberSource = (typeof memberSources)[number];

/** Roles that a directory group may be mapped to: instructor at most. */
export const directoryRoles = ["student", "ta", "instructor"] as const;
export type DirectoryRole = (typeof directoryRoles)[number];

/** Formats of an import: the service's own CSV, and OneRoster 1.2. */
export const importFormats = ["csv", "one_roster"] as const;
export type ImportFormat = (typeof importFormats)[number];

/** Kinds of import rows, in processing order: later ones refer to earlier ones. */
export const importKinds = ["offering", "person", "role", "enrollment"] as const;
export type ImportKind = (typeof importKinds)[number];

/** Versions of Common Cartridge that an export writes. */
export const cartridgeVersions = ["1.3", "1.4"] as const;
export type CartridgeVersion = (typeof cartridgeVersions)[number];

/** Kinds of parts of a Common Cartridge. */
export const cartridgePartKinds = [
  "module",
  "page",
  "file",
  "link",
  "topic",
  "quiz",
  "question_bank",
  "assignment",
  "lti_link",
  "other",
] as const;
export type CartridgePartKind = (typeof cartridgePartKinds)[number];

/** Outcome of a part: `partly` if something is left out, `ignored` if it is no content. */
export const cartridgeOutcomes = ["created", "partly", "refused", "ignored"] as const;
export type CartridgeOutcome = (typeof cartridgeOutcomes)[number];

export const importOutcomes = ["created", "updated", "unchanged", "offered", "refused"] as const;
export type ImportOutcome = (typeof importOutcomes)[number];

/** Why an answer's path is not shared. */
export const answerPaths = ["lost"] as const;
export type AnswerPath = (typeof answerPaths)[number];

/** Changes of a stored answer by staff. */
export const treeChangeActions = ["replaced", "purged", "keyed"] as const;
export type TreeChangeAction = (typeof treeChangeActions)[number];

/** State of a pinned answer: served, waiting for its first learner, or stale because its question changed. */
export const pinStates = ["live", "waiting", "stale"] as const;
export type PinState = (typeof pinStates)[number];

/** Scopes of an API key, within its university. */
export const apiKeyScopes = [
  "people:read",
  "people:write",
  "enrollments:write",
  "grades:read",
  "reports:read",
  "events:read",
  "scim",
] as const;
export type ApiKeyScope = (typeof apiKeyScopes)[number];

/** Roles in a group of an offering. */
export const groupRoles = ["member", "staff"] as const;
export type GroupRole = (typeof groupRoles)[number];

/** Permissions that a university grants with its offices, apart from roles. */
export const officeRights = ["accommodation:write", "retention:write", "data-request:write"] as const;
export type OfficeRight = (typeof officeRights)[number];

/** Kinds of data requests (GDPR): a copy, a correction, or an erasure. */
export const dataRequestKinds = ["export", "rectify", "erase"] as const;
export type DataRequestKind = (typeof dataRequestKinds)[number];

/** State of a data request. An approved one is done immediately; an erasure runs in steps. */
export const dataRequestStates = ["open", "approved", "rejected", "done"] as const;
export type DataRequestState = (typeof dataRequestStates)[number];

/** Kinds of data with a retention period. */
export const retentionKinds = [
  "activity_events",
  "conversations",
  "llm_calls",
  "audit_events",
  "notifications",
  "submissions",
  "grades",
] as const;
export type RetentionKind = (typeof retentionKinds)[number];

export const auditActions = [
  "role.granted",
  "role.revoked",
  "invitation.sent",
  "invitation.revoked",
  "invitation.declined",
  "import.started",
  "api_key.created",
  "api_key.revoked",
  "api_key.adopted",
  "scim_user.created",
  "scim_user.deleted",
  "scim_group.mapped",
  "office.granted",
  "office.revoked",
  "accommodation.granted",
  "accommodation.withdrawn",
  "person.read",
  "retention.set",
  "retention.counted",
  "retention.held",
  "retention.released",
  "retention.forgotten",
  "data_request.made",
  "data_request.approved",
  "data_request.rejected",
  "data_request.exported",
  "data_request.done",
  "group.created",
  "group.changed",
  "group.deleted",
  "group.member_added",
  "group.member_removed",
  "identity_provider.created",
  "identity_provider.changed",
  "identity_provider.removed",
  "lti_platform.created",
  "lti_platform.changed",
  "lti_platform.removed",
  "lti_deployment.admitted",
  "lti_deployment.removed",
  "lti_context.bound",
  "lti_context.unbound",
  "lti_person.linked",
  "lti_person.unlinked",
  "lti_tool.created",
  "lti_tool.changed",
  "lti_tool.removed",
  "one_roster_source.created",
  "one_roster_source.removed",
  "offering_staff.named",
  "offering_staff.removed",
  "offering_staff.readmitted",
  "university_domain.granted",
  "university_domain.removed",
  "enrollment.created",
  "enrollment.changed",
  "exemption.granted",
  "exemption.revoked",
  "credentials.stored",
  "credentials.removed",
  "university.deactivated",
  "university.reactivated",
  "university.own_provider_required",
  "university.own_provider_waived",
  "university.exported",
  "university.imported",
  "university.removed",
  "account.deactivated",
  "account.reactivated",
  "member.suspended",
  "member.restored",
  "member.corrected",
  "account.exported",
  "account.erased",
  "account.erasure_ended",
  "account.taken_over",
  "access.refused",
  "sign_in",
  "sign_in.failed",
  "password.changed",
  "password.reset",
  "email.changed",
  "tokens.ended",
  "prompt.version_created",
  "prompt.labels_set",
  "prompt.deleted",
  "prompt.rollout_started",
  "prompt.rollout_promoted",
  "prompt.rollout_stopped",
  "tutor_answer.replaced",
  "tutor_answer.purged",
  "tutor_answer.restored",
  "tutor_answer.keyed",
  "tutor_answer.approved",
  "tutor_answers.warmed",
  "tutor_pin.confirmed",
  "tutor_pin.dropped",
  "tutor_notes.changed",
  "quiz.override_granted",
  "quiz.regraded",
  "certificate.issued",
  "certificate.revoked",
  "certificate.reissued",
  "submission.override_granted",
  "auto_grader.read",
  "auto_grader.renewed",
  "tutor_progress.read",
  "grade.changed",
  "grades.released",
  "grading_scheme.changed",
  "content.settings_removed",
  "announcement.deleted",
  "post.hidden",
  "post.kept",
  "review.hidden",
  "review.kept",
  "thread.locked",
  "thread.unlocked",
  "thread.deleted",
  "file.refused",
  "lti_roster.taken",
] as const;
export type AuditAction = (typeof auditActions)[number];

/** How an external tool opens: in a frame of the item, or in a window. */
export const ltiToolTargets = ["frame", "window"] as const;
export type LtiToolTarget = (typeof ltiToolTargets)[number];

/** How an LMS person's account was found: by LMS data, by a sign-in, or by creating one. */
export const ltiLinkings = ["sourced_id", "email", "sign_in", "made"] as const;
export type LtiLinking = (typeof ltiLinkings)[number];

/** Source of a seat or staff membership: a launch, or the roster of the LMS course. */
export const ltiSources = ["launch", "roster"] as const;
export type LtiSource = (typeof ltiSources)[number];

/** Roles of staff from an LMS. */
export const offeringStaffRoles = ["ta", "instructor"] as const;
export type OfferingStaffRole = (typeof offeringStaffRoles)[number];

/** How an LMS roster is read: in full, as a dry run, in full even if it drops many, or as changes. */
export const ltiRosterModes = ["whole", "dry", "confirmed", "nightly"] as const;
export type LtiRosterMode = (typeof ltiRosterModes)[number];

/** State of an LMS roster: to be read, applied, previewed, failed, or held because it would drop many. */
export const ltiRosterStates = ["asked", "taken", "dry", "failed", "waiting"] as const;
export type LtiRosterState = (typeof ltiRosterStates)[number];
/** How a OneRoster service is read: changes, everything, without effect, or with removals that staff confirmed. */
export const oneRosterSyncModes = ["changes", "full", "preview", "confirmed"] as const;
export type OneRosterSyncMode = (typeof oneRosterSyncModes)[number];

/** State of a OneRoster source; unconfirmed because it would remove many. */
export const oneRosterSyncStates = ["requested", "imported", "previewed", "unconfirmed", "failed"] as const;
export type OneRosterSyncState = (typeof oneRosterSyncStates)[number];

/** Protocols of a university's identity provider. */
export const identityProviderKinds = ["oidc", "saml"] as const;
export type IdentityProviderKind = (typeof identityProviderKinds)[number];

/** The parts that a SAML provider must sign: the response, the assertion, or both. */
export const samlSignedParts = ["both", "response", "assertion"] as const;
export type SamlSignedPart = (typeof samlSignedParts)[number];

/** Steps of changing the service's key towards a SAML provider, in order. */
export const samlKeySteps = ["add", "switch", "remove"] as const;

/** Roles that a university may derive from a provider's affiliations. */
export const affiliationRoles = ["student", "ta", "instructor"] as const satisfies readonly Role[];
export type AffiliationRole = (typeof affiliationRoles)[number];
