import type { VNode } from "preact";
import { onDemand } from "./components/on-demand.tsx";
import { CatalogScreen } from "./screens/catalog.tsx";
import { HomeScreen } from "./screens/home.tsx";

export type Screens = Record<string, (props: never) => VNode>;

/** Those that people see first come with the page; the others are loaded when they are asked for. */
const learning = {
  "": HomeScreen,
  catalog: CatalogScreen,
  "courses/:course/:offering": onDemand(async () => (await import("./screens/outline.tsx")).OutlineScreen),
  "courses/:course/:offering/grades": onDemand(
    async () => (await import("./grades/my-grades.tsx")).MyGradesScreen,
  ),
  "courses/:course/:offering/discussions": onDemand(
    async () => (await import("./community/threads.tsx")).DiscussionsScreen,
  ),
  "courses/:course/:offering/discussions/:thread": onDemand(
    async () => (await import("./community/thread.tsx")).ThreadScreen,
  ),
  "courses/:course/:offering/announcements": onDemand(
    async () => (await import("./community/announcements.tsx")).AnnouncementsScreen,
  ),
  "courses/:course/:offering/:item": onDemand(async () => (await import("./screens/topic.tsx")).TopicScreen),
  announcements: onDemand(async () => (await import("./community/announcements.tsx")).MyAnnouncementsScreen),
  "announcements/:announcement": onDemand(
    async () => (await import("./community/announcements.tsx")).AnnouncementScreen,
  ),
  "threads/:thread": onDemand(async () => (await import("./community/thread.tsx")).ThreadScreen),
  notifications: onDemand(async () => (await import("./notifications/screen.tsx")).NotificationsScreen),
  certificates: onDemand(async () => (await import("./screens/certificates.tsx")).CertificatesScreen),
  flashcards: onDemand(async () => (await import("./study/decks.tsx")).DecksScreen),
  "flashcards/review": onDemand(async () => (await import("./study/review.tsx")).ReviewScreen),
  "flashcards/:deck": onDemand(async () => (await import("./study/deck.tsx")).DeckScreen),
  "flashcards/:deck/review": onDemand(async () => (await import("./study/review.tsx")).ReviewScreen),
  "feature-requests": onDemand(async () => (await import("./feature-requests/own.tsx")).OwnRequestsScreen),
  "feature-requests/all": onDemand(
    async () => (await import("./feature-requests/all.tsx")).AllRequestsScreen,
  ),
  account: onDemand(async () => (await import("./account/screen.tsx")).AccountScreen),
} satisfies Screens;

const teaching = {
  teaching: onDemand(async () => (await import("./teaching/offerings.tsx")).TeachingScreen),
  "teaching/:course/:offering": onDemand(async () => (await import("./teaching/roster.tsx")).RosterScreen),
  "teaching/:course/:offering/learners/:person": onDemand(
    async () => (await import("./teaching/learner.tsx")).LearnerScreen,
  ),
  "teaching/:course/:offering/topics/:item": onDemand(
    async () => (await import("./teaching/tree.tsx")).TreeScreen,
    "authoring",
  ),
  "teaching/:course/:offering/submissions": onDemand(
    async () => (await import("./grading/queue.tsx")).SubmissionsScreen,
  ),
  "teaching/:course/:offering/submissions/:submission": onDemand(
    async () => (await import("./grading/submission.tsx")).GradingScreen,
  ),
  "teaching/:course/:offering/gradebook": onDemand(
    async () => (await import("./grading/gradebook.tsx")).GradebookScreen,
  ),
  "teaching/:course/:offering/items/:item": onDemand(
    async () => (await import("./grading/item.tsx")).GradedItemScreen,
  ),
  "teaching/:course/:offering/attempts/:attempt": onDemand(
    async () => (await import("./grading/attempts.tsx")).AttemptScreen,
  ),
  "teaching/:course/:offering/announcements": onDemand(
    async () => (await import("./community/announcements.tsx")).WriteAnnouncementsScreen,
  ),
  "teaching/:course/:offering/discussions": onDemand(
    async () => (await import("./community/threads.tsx")).ClassDiscussionsScreen,
  ),
  "teaching/:course/:offering/discussions/:thread": onDemand(
    async () => (await import("./community/thread.tsx")).ClassThreadScreen,
  ),
  "teaching/:course/:offering/tutor": onDemand(
    async () => (await import("./teaching/inbox.tsx")).InboxScreen,
  ),
  "teaching/:course/:offering/moderation": onDemand(
    async () => (await import("./community/moderation.tsx")).ModerationScreen,
  ),
  "teaching/:course/:offering/grading": onDemand(
    async () => (await import("./grading/scheme.tsx")).SchemeScreen,
    "authoring",
  ),
  "teaching/:course/:offering/certificates": onDemand(
    async () => (await import("./certificates/screen.tsx")).OfferingCertificatesScreen,
    "authoring",
  ),
  prompts: onDemand(async () => (await import("./teaching/prompts.tsx")).PromptsScreen),
  "prompts/:name": onDemand(async () => (await import("./teaching/prompt.tsx")).PromptScreen, "prompts"),
  "prompts/:name/rollouts": onDemand(
    async () => (await import("./prompts/rollouts.tsx")).RolloutsScreen,
    "prompts",
  ),
  "prompts/:name/rollouts/:rollout": onDemand(
    async () => (await import("./prompts/rollout.tsx")).RolloutScreen,
    "prompts",
  ),
  "prompts/:name/versions/:version": onDemand(
    async () => (await import("./prompts/version.tsx")).TextOfVersionScreen,
    "prompts",
  ),
  "prompts/:name/versions/:version/try": onDemand(
    async () => (await import("./prompts/try.tsx")).TryScreen,
    "prompts",
  ),
  "prompts/:name/versions/:version/try/:item": onDemand(
    async () => (await import("./prompts/try.tsx")).TriedScreen,
    "prompts",
  ),
  "prompts/:name/versions/:version/trials": onDemand(
    async () => (await import("./prompts/trials.tsx")).TrialsScreen,
    "prompts",
  ),
  "prompts/:name/versions/:version/trials/:trial": onDemand(
    async () => (await import("./prompts/trial.tsx")).TrialScreen,
    "prompts",
  ),
} satisfies Screens;

const authoring = {
  authoring: onDemand(async () => (await import("./authoring/courses.tsx")).CoursesScreen, "authoring"),
  "authoring/new": onDemand(
    async () => (await import("./authoring/new-course.tsx")).NewCourseScreen,
    "authoring",
  ),
  "authoring/:course": onDemand(
    async () => (await import("./authoring/tree.tsx")).CourseTreeScreen,
    "authoring",
  ),
  "authoring/:course/settings": onDemand(
    async () => (await import("./authoring/settings.tsx")).CourseSettingsScreen,
    "authoring",
  ),
  "authoring/:course/items/:item": onDemand(
    async () => (await import("./authoring/item.tsx")).ItemScreen,
    "authoring",
  ),
  "authoring/:course/offerings": onDemand(
    async () => (await import("./authoring/offerings.tsx")).OfferingsScreen,
    "authoring",
  ),
  "authoring/:course/offerings/:offering": onDemand(
    async () => (await import("./authoring/offering.tsx")).OfferingSettingsScreen,
    "authoring",
  ),
  "authoring/:course/questions": onDemand(
    async () => (await import("./authoring/pools.tsx")).PoolsScreen,
    "authoring",
  ),
  "authoring/:course/questions/:pool": onDemand(
    async () => (await import("./authoring/pool.tsx")).PoolScreen,
    "authoring",
  ),
} satisfies Screens;

const administering = {
  reports: onDemand(async () => (await import("./reports/screen.tsx")).ReportsScreen),
  administration: onDemand(
    async () => (await import("./administration/universities.tsx")).AdministrationScreen,
  ),
  "administration/new": onDemand(
    async () => (await import("./administration/new-university.tsx")).NewUniversityScreen,
  ),
  "administration/audit": onDemand(async () => (await import("./administration/audit.tsx")).AuditScreen),
  "administration/credentials": onDemand(
    async () => (await import("./administration/credentials.tsx")).CredentialsScreen,
  ),
  "administration/:university/people": onDemand(
    async () => (await import("./administration/people.tsx")).PeopleScreen,
  ),
  "administration/:university/roles": onDemand(
    async () => (await import("./administration/roles.tsx")).RolesScreen,
  ),
  "administration/:university/departments": onDemand(
    async () => (await import("./administration/departments.tsx")).DepartmentsScreen,
  ),
  "administration/:university/credentials": onDemand(
    async () => (await import("./administration/credentials.tsx")).CredentialsScreen,
  ),
  "administration/:university/audit": onDemand(
    async () => (await import("./administration/audit.tsx")).AuditScreen,
  ),
  "administration/:university/invitations": onDemand(
    async () => (await import("./administration/invitations.tsx")).InvitationsScreen,
  ),
  "administration/:university/settings": onDemand(
    async () => (await import("./administration/university-settings.tsx")).UniversitySettingsScreen,
  ),
  "administration/:university/imports": onDemand(
    async () => (await import("./administration/imports.tsx")).ImportsScreen,
  ),
  "administration/:university/terms": onDemand(
    async () => (await import("./administration/terms.tsx")).TermsScreen,
  ),
  "administration/:university/tutor": onDemand(
    async () => (await import("./administration/budget.tsx")).BudgetScreen,
  ),
  "administration/:university/api-keys": onDemand(
    async () => (await import("./administration/api-keys.tsx")).ApiKeysScreen,
  ),
  "administration/:university/domains": onDemand(
    async () => (await import("./administration/domains.tsx")).DomainsScreen,
  ),
  "administration/:university/identity-providers": onDemand(
    async () => (await import("./administration/identity-providers.tsx")).IdentityProvidersScreen,
  ),
} satisfies Screens;

/** Every screen of people who are signed in, by the pattern of its address. */
export const screens: Screens = { ...learning, ...teaching, ...authoring, ...administering };

/** Those that take no sign-in; links of mails lead to most of them. */
export const openScreens: Screens = {
  register: onDemand(async () => (await import("./sign-in/register.tsx")).RegisterScreen),
  "forgot-password": onDemand(
    async () => (await import("./sign-in/password-reset.tsx")).ForgotPasswordScreen,
  ),
  "reset-password": onDemand(async () => (await import("./sign-in/password-reset.tsx")).ResetPasswordScreen),
  "verify-email": onDemand(async () => (await import("./sign-in/verify-email.tsx")).VerifyEmailScreen),
  "accept-invitation": onDemand(
    async () => (await import("./sign-in/accept-invitation.tsx")).AcceptInvitationScreen,
  ),
  "shared/:token": onDemand(async () => (await import("./screens/shared.tsx")).SharedScreen),
};
