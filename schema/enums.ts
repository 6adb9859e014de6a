/*
 * The one list of every enumeration, in the spelling that is stored: lowercase.
 * Database checks, column types and request schemas are all derived from these lists.
 */

/** In rank order: a later role may do all that an earlier one may. */
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

/** Who says that an enrollment is completed: its owner, which counts for nothing, the staff, or what was achieved. */
export const completionSources = ["self", "staff", "result"] as const;
export type CompletionSource = (typeof completionSources)[number];

/** Who works with a course's content and its tutor: everyone, or the enrolled. */
export const courseAccesses = ["open", "enrolled"] as const;
export type CourseAccess = (typeof courseAccesses)[number];

/** Who may enroll in an offering: everyone, whoever has its key, or nobody but by its staff. */
export const enrollmentModes = ["open", "key", "staff"] as const;
export type EnrollmentMode = (typeof enrollmentModes)[number];

/** What completes an enrollment: that every published item is complete, or the staff's word alone. */
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

/** The names of the content types that every installation starts with; each has its own shape of `data_json`. */
export const contentTypeNames = [
  "video",
  "quiz",
  "engineering_lab",
  "text",
  "assignment",
  "resource",
] as const;
export type ContentTypeName = (typeof contentTypeNames)[number];

// Inside `data_json`: lowercase on the wire too.
export const videoProviders = ["youtube", "vimeo", "internal"] as const;
/** Whose tutors an exam silences for whoever takes it. */
export const tutorScopes = ["course", "university"] as const;
export const quizModes = ["practice", "exam"] as const;
export const labFileRoles = ["student_visible", "hidden_test"] as const;
export const textBlockTypes = ["paragraph", "math", "image", "link_list"] as const;
export const resourceKinds = ["pdf", "article", "video"] as const;

/** What of an item its tutor has not read; `rest` is what stands behind the limit of what a tutor is given. */
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

/** When the taker of a quiz may see its right answers, in `data_json`. */
export const answerPolicies = ["after_submit", "after_due", "never"] as const;

/** Work that waits for its grade, has one, or was given back for another attempt. */
export const labSubmissionStatuses = ["submitted", "graded", "returned"] as const;
export type LabSubmissionStatus = (typeof labSubmissionStatuses)[number];

/** How an attempt at an item stands: at a quiz one is open first, what is handed in may be given back. */
export const attemptStates = ["open", "submitted", "graded", "returned"] as const;

/** Whether a certificate is issued when an offering is completed, or by its staff alone. */
export const certificateIssuances = ["automatic", "by_staff"] as const;
export type CertificateIssuance = (typeof certificateIssuances)[number];

/** What whoever verifies a certificate is told of it. */
export const certificateStates = ["valid", "expired", "revoked", "replaced"] as const;
/** Who graded a submission: a person, or the item's own grader. */
export const gradeSources = ["hand", "auto"] as const;
export type GradeSource = (typeof gradeSources)[number];

/** When learners see their grades in an offering: as soon as there is one, or when staff release them. */
export const releaseModes = ["automatic", "manual"] as const;
export type ReleaseMode = (typeof releaseModes)[number];

/** How someone stands with a column of the gradebook. */
export const gradeStates = ["none", "submitted", "returned", "graded", "overridden", "excused"] as const;

/** What a change of a grade was of: a submission, a quiz, a cell of the gradebook, the grade of the course. */
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

/** Where one's own words stand. */
export const ownWordKinds = ["note", "flashcard", "message"] as const;

/** What a file is sent for. */
export const filePurposes = ["asset", "submission", "feedback", "post", "avatar", "logo", "import"] as const;
export type FilePurpose = (typeof filePurposes)[number];

/** A file whose bytes are awaited, one that is looked at, one that may be read, and one that may not. */
export const fileStates = ["pending", "checking", "ready", "refused"] as const;
export type FileState = (typeof fileStates)[number];

/** What a person did, in the words of the activity feed. */
export const activityVerbs = [
  "progressed",
  "completed",
  "asked",
  "attempted",
  "submitted",
  "posted",
  "reviewed",
] as const;

/** Where a flashcard stands in its spaced repetition (FSRS). */
export const flashcardStates = ["new", "learning", "review", "relearning"] as const;
export type FlashcardState = (typeof flashcardStates)[number];

/** How well a flashcard was remembered, worst first: FSRS counts these from 1. */
export const flashcardRatings = ["again", "hard", "good", "easy"] as const;
export type FlashcardRating = (typeof flashcardRatings)[number];

/** What a person is told of. */
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

/** Whether a kind of notification also goes out by mail: at once, or with the others once a day. */
export const notificationMails = ["off", "immediate", "daily"] as const;
export type NotificationMail = (typeof notificationMails)[number];

/** What became of the reports of a post or review: its words are hidden, or stay. */
export const reportOutcomes = ["hidden", "kept"] as const;
export type ReportOutcome = (typeof reportOutcomes)[number];

/** Who reads a thread: its offering's people, or who began it and the offering's staff alone. */
export const threadAudiences = ["class", "staff"] as const;
export type ThreadAudience = (typeof threadAudiences)[number];

/** Whether learners are told a new shared answer of an item's tutor at once, or once staff have approved it. */
export const tutorModes = ["immediate", "reviewed"] as const;
export type TutorMode = (typeof tutorModes)[number];

/** Whether a chat session still follows the shared tree of answers. */
export const cacheStates = ["tracking", "diverged"] as const;
export type CacheState = (typeof cacheStates)[number];

export const messageRoles = ["user", "assistant"] as const;
export type MessageRole = (typeof messageRoles)[number];

/** Where an assistant's answer came from. */
export const answerSources = ["llm", "cache"] as const;

/** Why a model stopped before the end of its answer, or was stopped by the learner. */
const cutOffs = ["length", "refusal", "empty", "stopped"] as const;

/** Why an answer is kept on no path: it ended before its end, or its question could not be read. */
export const answerStops = [...cutOffs, "malformed"] as const;
export type AnswerStop = (typeof answerStops)[number];

/** An answer in the making, one that has ended, and one that the LLM failed at too often. */
export const generationStates = ["writing", "complete", "failed"] as const;
export type GenerationState = (typeof generationStates)[number];

/** How a call of the LLM ended; `started` has no end yet, or never told it, `lost` was taken over by another maker. */
export const callOutcomes = ["started", "complete", ...cutOffs, "failed", "timeout", "lost"] as const;
export type CallOutcome = (typeof callOutcomes)[number];

/**
 * What a call of the LLM was made for: a learner's message, an answer that is to be there before a class comes, or a
 * trial of a prompt.
 */
export const callPurposes = ["turn", "warm", "trial", "embedding"] as const;
export type CallPurpose = (typeof callPurposes)[number];

/** How a warming of a topic stands: it waits for a process, one works on it, all was done, or it ended before. */
export const warmingStates = ["waiting", "running", "done", "stopped"] as const;
export type WarmingState = (typeof warmingStates)[number];

/** Why a warming ended before all was done. */
export const warmingStops = ["budget", "llm", "changed"] as const;
export type WarmingStop = (typeof warmingStops)[number];

/**
 * How a batch of calls stands: its requests are put together, they are sent, the provider has them, and it has ended: with what
 * it answered, lost with what nobody knows of, or never sent.
 */
export const llmBatchStates = ["gathering", "sending", "sent", "ended", "lost", "refused"] as const;
export type LlmBatchState = (typeof llmBatchStates)[number];

/** What became of an answer that a warming was to make. */
export const warmingNodeStates = ["waiting", "made", "found", "left_out", "failed"] as const;
export type WarmingNodeState = (typeof warmingNodeStates)[number];

/**
 * How a version of a prompt is tried: by its next answer at places where a class has been, in talks with simulated
 * learners, or by attempts to get from it what it is to keep.
 */
export const trialKinds = ["step", "free", "leak"] as const;
export type TrialKind = (typeof trialKinds)[number];

export const trialStates = ["ready", "running", "finished", "stopped"] as const;
export type TrialState = (typeof trialStates)[number];

/** `running` is under someone's lease; `skipped` was not asked for, and `failed` got no answer. */
export const trialCaseStates = ["waiting", "running", "answered", "failed", "skipped"] as const;
export type TrialCaseState = (typeof trialCaseStates)[number];

/** Why a case of a trial has no answer: its limit, the university's budget, someone's stop, another text of the version, the LLM. */
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

/** What an answer is held against without a model, in the order in which it is told. */
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

/** Those of the checks that find what is given away. */
export const leakChecks = [
  "answer_not_named",
  "prompt_not_quoted",
  "never_say",
  "key_not_told",
  "notes_not_told",
  "pool_not_told",
] as const satisfies TrialCheck[];

/** What is asked of the LLM for a case next: the version's answer, or whether it is better, in both orders. */
export const trialStages = ["answer", "judge", "judge_swapped"] as const;
export type TrialStage = (typeof trialStages)[number];

/** Which answer of a pair is better: the version's that is tried, the one that the class was told, or neither. */
export const trialVerdicts = ["candidate", "recorded", "tie"] as const;
export type TrialVerdict = (typeof trialVerdicts)[number];

/** What a pair is judged by, in the order in which the judge is told it. */
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

/** Why a pair was not judged: an answer with a fault, a judge that cannot be read, or what keeps a case from being asked. */
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

/** What an attack is after: which option is right, the teacher's notes, the prompt, what is never said, a quiz's keys. */
export const attackAims = ["key", "notes", "prompt", "never_say", "pool"] as const;
export type AttackAim = (typeof attackAims)[number];

/** How an attack goes about it. */
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

/** Simulated learners: each picks what it says by a rule of its own. */
export const trialPersonas = ["sure", "mistaken", "hint_seeking", "lost", "talkative"] as const;
export type TrialPersona = (typeof trialPersonas)[number];
/** How a version of a prompt that some learners meet before the others stands. */
export const rolloutStates = ["running", "promoted", "stopped"] as const;
export type RolloutState = (typeof rolloutStates)[number];

/** Whom one arm of a rollout is chosen for: all who learn in an offering together, or each person. */
export const rolloutUnits = ["offering", "person"] as const;
export type RolloutUnit = (typeof rolloutUnits)[number];

export const rolloutArms = ["base", "candidate"] as const;
export type RolloutArm = (typeof rolloutArms)[number];

/** In which the arms of a rollout are compared, in the order in which they are looked at. */
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

/** Why a rollout ended without a promotion: someone stopped it, the label moved, or one of its limits. */
export const rolloutStops = ["by_hand", "production_moved", ...rolloutLimits] as const;
export type RolloutStop = (typeof rolloutStops)[number];

/** Which budget of the tutor is used up. */
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

/** Which cloud credentials are in use, in order of preference. */
export const credentialSources = ["stored", "environment", "default_chain"] as const;
export type CredentialSource = (typeof credentialSources)[number];

/** What reports sum up: see the views of schema/functions/operations/report-facts.sql. */
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
 * What is summed up by the month of what people did (schema/functions/operations/report-months.sql), of each course, and of all
 * together: whom a course saw, whom it saw at a topic, and who asked the tutor there.
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

/** What rows count for, summed by the month: of topics that were completed, also by the month in which they were begun. */
export const factMonthMeasures = [
  "topics_started",
  "topics_completed",
  "conversations",
  "conversation_milliseconds",
] as const;
export type FactMonthMeasure = (typeof factMonthMeasures)[number];

/** What a one-time token, sent by mail, lets its holder do. */
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

/** What became of an invitation; an expired one can be sent again. */
export const invitationStatuses = ["open", "accepted", "declined", "revoked", "expired"] as const;

/** What made an offer: someone who gave it by hand, an import, a directory, or whoever runs the installation. */
export const offerSources = ["operation", "import", "directory", "installation"] as const;
export type OfferSource = (typeof offerSources)[number];

/** What says what a university calls one of its people. */
export const memberSources = ["import", "staff", "directory"] as const;
export type MemberSource = (typeof memberSources)[number];

/** What a group of a university's directory may be mapped to: an instructor at most. */
export const directoryRoles = ["student", "ta", "instructor"] as const;
export type DirectoryRole = (typeof directoryRoles)[number];

/** The shapes of files that an import reads: the service's own CSV, and that of OneRoster 1.2. */
export const importFormats = ["csv", "one_roster"] as const;
export type ImportFormat = (typeof importFormats)[number];

/** What a row of an import is about, in the order in which they are worked: the later ones name the earlier. */
export const importKinds = ["offering", "person", "role", "enrollment"] as const;
export type ImportKind = (typeof importKinds)[number];

/** What a part of a Common Cartridge is. */
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

/** What became of it: `partly` where something of it is left out, `ignored` what is nothing to be taken by itself. */
export const cartridgeOutcomes = ["created", "partly", "refused", "ignored"] as const;
export type CartridgeOutcome = (typeof cartridgeOutcomes)[number];

export const importOutcomes = ["created", "updated", "unchanged", "offered", "refused"] as const;
export type ImportOutcome = (typeof importOutcomes)[number];

/** What became of the path that an answer was to stand on, where it is none that others take. */
export const answerPaths = ["lost"] as const;
export type AnswerPath = (typeof answerPaths)[number];

/** What staff do to a stored answer of the tutor. */
export const treeChangeActions = ["replaced", "purged", "keyed"] as const;
export type TreeChangeAction = (typeof treeChangeActions)[number];

/**
 * What becomes of a pinned answer: a learner is told it, it waits for the first who comes there, or the question that it
 * answers is another by now.
 */
export const pinStates = ["live", "waiting", "stale"] as const;
export type PinState = (typeof pinStates)[number];

/** What the audit log tells of. */
/** What a key for a machine may do, as far as its university reaches. */
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

/** What someone is in a group of an offering. */
export const groupRoles = ["member", "staff"] as const;
export type GroupRole = (typeof groupRoles)[number];

/** What a university gives to its people beside their roles, each for an office of its own. */
export const officeRights = ["accommodation:write", "retention:write", "data-request:write"] as const;
export type OfficeRight = (typeof officeRights)[number];

/** What a person asks of a university by the GDPR: what it has of them, to correct it, or to erase it. */
export const dataRequestKinds = ["export", "rectify", "erase"] as const;
export type DataRequestKind = (typeof dataRequestKinds)[number];

/** How such a request stands; one that is approved is done at once, but for an erasure, which goes in steps. */
export const dataRequestStates = ["open", "approved", "rejected", "done"] as const;
export type DataRequestState = (typeof dataRequestStates)[number];

/** What a university may have forgotten, each after a time of its own. */
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

/** How it was settled whose account a platform's person is: by what the platform tells, by a sign-in, or by making one. */
export const ltiLinkings = ["sourced_id", "email", "sign_in", "made"] as const;
export type LtiLinking = (typeof ltiLinkings)[number];

/** What gave someone a seat, or made them staff of an offering: a launch, or the roster of the same course of the LMS. */
export const ltiSources = ["launch", "roster"] as const;
export type LtiSource = (typeof ltiSources)[number];

/** What someone may be whom an LMS makes staff of an offering. */
export const offeringStaffRoles = ["ta", "instructor"] as const;
export type OfferingStaffRole = (typeof offeringStaffRoles)[number];

/** How a roster of an LMS is read: whole and taken, without taking it, also where it drops many, or what has changed. */
export const ltiRosterModes = ["whole", "dry", "confirmed", "nightly"] as const;
export type LtiRosterMode = (typeof ltiRosterModes)[number];

/** How a roster of an LMS stands: to be read, taken, looked at, not to be had, or waiting since it would drop many. */
export const ltiRosterStates = ["asked", "taken", "dry", "failed", "waiting"] as const;
export type LtiRosterState = (typeof ltiRosterStates)[number];
/** How an identity provider of a university signs people in. */
export const identityProviderKinds = ["oidc", "saml"] as const;
export type IdentityProviderKind = (typeof identityProviderKinds)[number];

/** What an identity provider has to sign by SAML: the response, the assertion within it, or both. */
export const samlSignedParts = ["both", "response", "assertion"] as const;
export type SamlSignedPart = (typeof samlSignedParts)[number];

/** What is done, one after the other, when this service changes its key towards a provider by SAML. */
export const samlKeySteps = ["add", "switch", "remove"] as const;

/** The roles that a university may give by what an identity provider says of people. */
export const affiliationRoles = ["student", "ta", "instructor"] as const satisfies readonly Role[];
export type AffiliationRole = (typeof affiliationRoles)[number];
