import type { ComponentType, VNode } from "preact";
import { lazyComponentWithTexts } from "./components/on-demand.tsx";
import { HomeScreen } from "./screens/home.tsx";
import type { LazyTextGroup } from "./texts.ts";

export type ScreensByPattern = Record<string, (props: never) => VNode>;

/** The first screens are in the main bundle. Others load on demand. */
const learning = {
  "": HomeScreen,
  learning: HomeScreen,
  catalog: lazyComponentWithTexts(async () => (await import("./catalog/screen.tsx")).CatalogScreen),
  "courses/:course/:offering": lazyComponentWithTexts(
    async () => (await import("./screens/outline.tsx")).OutlineScreen,
  ),
  "courses/:course/:offering/grades": lazyComponentWithTexts(
    async () => (await import("./grades/my-grades.tsx")).MyGradesScreen,
  ),
  "courses/:course/:offering/discussions": lazyComponentWithTexts(
    async () => (await import("./community/threads.tsx")).LearnerDiscussionsScreen,
  ),
  "courses/:course/:offering/discussions/:thread": lazyComponentWithTexts(
    async () => (await import("./community/thread.tsx")).LearnerThreadScreen,
  ),
  "courses/:course/:offering/announcements": lazyComponentWithTexts(
    async () => (await import("./community/announcements.tsx")).LearnerOfferingAnnouncementsScreen,
  ),
  "courses/:course/:offering/groups": lazyComponentWithTexts(
    async () => (await import("./groups/own-groups.tsx")).OwnGroupsScreen,
  ),
  "courses/:course/:offering/tools/:tool": lazyComponentWithTexts(
    async () => (await import("./lti/navigation-tool.tsx")).NavigationToolScreen,
  ),
  "courses/:course/:offering/:item": lazyComponentWithTexts(
    async () => (await import("./screens/topic.tsx")).TopicScreen,
  ),
  "items/:item": lazyComponentWithTexts(
    async () => (await import("./screens/item-link.tsx")).ItemLinkRedirectScreen,
  ),
  announcements: lazyComponentWithTexts(
    async () => (await import("./community/announcements.tsx")).MyAnnouncementsScreen,
  ),
  "announcements/:announcement": lazyComponentWithTexts(
    async () => (await import("./community/announcements.tsx")).AnnouncementScreen,
  ),
  "threads/:thread": lazyComponentWithTexts(
    async () => (await import("./community/thread.tsx")).LearnerThreadScreen,
  ),
  notifications: lazyComponentWithTexts(
    async () => (await import("./notifications/screen.tsx")).NotificationsScreen,
  ),
  certificates: lazyComponentWithTexts(
    async () => (await import("./screens/certificates.tsx")).MyCertificatesScreen,
  ),
  flashcards: lazyComponentWithTexts(async () => (await import("./study/decks.tsx")).FlashcardDecksScreen),
  "flashcards/review": lazyComponentWithTexts(
    async () => (await import("./study/review.tsx")).FlashcardReviewScreen,
  ),
  "flashcards/:deck": lazyComponentWithTexts(
    async () => (await import("./study/deck.tsx")).FlashcardDeckScreen,
  ),
  "flashcards/:deck/review": lazyComponentWithTexts(
    async () => (await import("./study/review.tsx")).FlashcardReviewScreen,
  ),
  search: lazyComponentWithTexts(async () => (await import("./study/search.tsx")).OwnContentSearchScreen),
  "feature-requests": lazyComponentWithTexts(
    async () => (await import("./feature-requests/own.tsx")).OwnFeatureRequestsScreen,
  ),
  "feature-requests/all": lazyComponentWithTexts(
    async () => (await import("./feature-requests/all.tsx")).AllFeatureRequestsScreen,
  ),
  "lti/connect/:ticket": lazyComponentWithTexts(
    async () => (await import("./lti/bind-lms-course.tsx")).BindLmsCourseScreen,
  ),
  "lti/links/:course/:offering": lazyComponentWithTexts(
    async () => (await import("./lti/deep-link-picker.tsx")).DeepLinkPickerScreen,
  ),
  "lti/sign-in/:ticket": lazyComponentWithTexts(
    async () => (await import("./lti/link-lms-identity.tsx")).LinkLmsIdentityScreen,
  ),
  account: lazyComponentWithTexts(async () => (await import("./account/screen.tsx")).AccountScreen),
} satisfies ScreensByPattern;

/** Screens from a list that is itself loaded on demand. */
const listed =
  <Name extends string>(
    load: () => Promise<{ screens: Record<Name, () => Promise<ComponentType<never>>> }>,
    ...further: LazyTextGroup[]
  ) =>
  (name: Name) =>
    lazyComponentWithTexts<never>(async () => (await load()).screens[name](), ...further);

const taught = listed(() => import("./teaching/screens.ts"), "authoring");
const prompted = listed(() => import("./prompts/screens.ts"), "prompts");
const authored = listed(() => import("./authoring/screens.ts"), "authoring");
const administration = listed(() => import("./administration/screens.ts"), "administration");
/** Screens that also use the authoring texts. */
const authoredAdministration = listed(
  () => import("./administration/screens.ts"),
  ...(["administration", "authoring"] as const),
);

const teaching = {
  teaching: taught("TeachingScreen"),
  "teaching/:course/:offering": taught("RosterScreen"),
  "teaching/:course/:offering/learners/:person": taught("LearnerScreen"),
  "teaching/:course/:offering/topics/:item": authored("AnswerTreeScreen"),
  "teaching/:course/:offering/enroll": authored("EnrollLearnersScreen"),
  "teaching/:course/:offering/submissions": taught("SubmissionsScreen"),
  "teaching/:course/:offering/submissions/:submission": taught("SubmissionGradingScreen"),
  "teaching/:course/:offering/gradebook": taught("GradebookScreen"),
  "teaching/:course/:offering/items/:item": taught("ItemAttemptsAndOverridesScreen"),
  "teaching/:course/:offering/attempts/:attempt": taught("QuizAttemptScreen"),
  "teaching/:course/:offering/announcements": taught("StaffOfferingAnnouncementsScreen"),
  "teaching/:course/:offering/discussions": taught("StaffDiscussionsScreen"),
  "teaching/:course/:offering/discussions/:thread": taught("StaffThreadScreen"),
  "teaching/:course/:offering/tutor": taught("TutorInboxScreen"),
  "teaching/:course/:offering/moderation": taught("ModerateReportsScreen"),
  "teaching/:course/:offering/groups": authored("GroupsScreen"),
  "teaching/:course/:offering/groups/:group": authored("GroupScreen"),
  "teaching/:course/:offering/grading": authored("GradingSchemeScreen"),
  "teaching/:course/:offering/certificates": authored("OfferingCertificatesScreen"),
  prompts: taught("PromptsScreen"),
  "prompts/:name": prompted("PromptScreen"),
  "prompts/:name/rollouts": prompted("RolloutsScreen"),
  "prompts/:name/rollouts/:rollout": prompted("RolloutScreen"),
  "prompts/:name/versions/:version": prompted("PromptVersionTextScreen"),
  "prompts/:name/versions/:version/write": prompted("NewPromptVersionScreen"),
  "prompts/:name/versions/:version/try": prompted("TryPromptItemPickerScreen"),
  "prompts/:name/versions/:version/try/:item": prompted("TryPromptConversationScreen"),
  "prompts/:name/versions/:version/trials": prompted("TrialsScreen"),
  "prompts/:name/versions/:version/trials/:trial": prompted("TrialScreen"),
} satisfies ScreensByPattern;

const authoring = {
  authoring: authored("EditableCoursesScreen"),
  "authoring/new": authored("NewCourseScreen"),
  "authoring/:course": authored("CourseOutlineEditorScreen"),
  "authoring/:course/settings": authored("CourseSettingsScreen"),
  "authoring/:course/items/:item": authored("ItemEditorScreen"),
  "authoring/:course/statistics": authored("CourseStatisticsScreen"),
  "authoring/:course/exemptions": authored("PrerequisiteExemptionsScreen"),
  "authoring/:course/preview": authored("CoursePreviewScreen"),
  "authoring/:course/preview/:item": authored("ItemPreviewScreen"),
  "authoring/:course/offerings": authored("CourseOfferingsScreen"),
  "authoring/:course/offerings/:offering": authored("OfferingSettingsScreen"),
  "authoring/:course/offerings/:offering/dates": authored("OfferingContentDatesScreen"),
  "authoring/:course/cartridges": authored("CartridgeImportExportScreen"),
  "authoring/:course/questions": authored("QuestionPoolsScreen"),
  "authoring/:course/questions/:pool": authored("QuestionPoolScreen"),
} satisfies ScreensByPattern;

const administering = {
  reports: lazyComponentWithTexts(async () => (await import("./reports/screen.tsx")).ReportsScreen),
  administration: administration("AdministeredUniversitiesScreen"),
  "administration/new": administration("NewUniversityScreen"),
  "administration/audit": administration("AuditScreen"),
  "administration/credentials": administration("LlmCredentialsScreen"),
  "administration/subjects": administration("SubjectsScreen"),
  "administration/subject-domains": administration("SubjectDomainsScreen"),
  "administration/content-types": administration("ContentTypesScreen"),
  "administration/templates": authoredAdministration("PlatformModuleTemplatesScreen"),
  "administration/lti-tools": lazyComponentWithTexts(
    async () => (await import("./lti/tools.tsx")).LtiToolsScreen,
  ),
  "administration/:university": administration("UniversityAdministrationDashboard"),
  "administration/:university/people": administration("PeopleScreen"),
  "administration/:university/people/:person": administration("PersonScreen"),
  "administration/:university/roles": administration("RoleAssignmentsScreen"),
  "administration/:university/departments": administration("DepartmentsScreen"),
  "administration/:university/credentials": administration("LlmCredentialsScreen"),
  "administration/:university/audit": administration("AuditScreen"),
  "administration/:university/invitations": administration("InvitationsScreen"),
  "administration/:university/settings": administration("UniversitySettingsScreen"),
  "administration/:university/imports": authoredAdministration("PeopleImportsScreen"),
  "administration/:university/templates": authoredAdministration("UniversityModuleTemplatesScreen"),
  "administration/:university/terms": administration("TermsScreen"),
  "administration/:university/tutor": administration("LlmBudgetScreen"),
  "administration/:university/offices": administration("GrantExtraPermissionsScreen"),
  "accommodations/:university": administration("AccommodationsScreen"),
  "retention/:university": administration("RetentionPolicyAndHoldsScreen"),
  "data-requests/:university": administration("PersonalDataRequestsScreen"),
  "administration/:university/api-keys": administration("ApiKeysScreen"),
  "administration/:university/lti": lazyComponentWithTexts(
    async () => (await import("./lti/platforms.tsx")).LtiPlatformsScreen,
    "administration",
  ),
  "administration/:university/lti-tools": lazyComponentWithTexts(
    async () => (await import("./lti/tools.tsx")).LtiToolsScreen,
    "administration",
  ),
  "administration/:university/directory": administration("ScimGroupRolesScreen"),
  "administration/:university/domains": administration("EmailDomainsScreen"),
  "administration/:university/identity-providers": administration("IdentityProvidersScreen"),
} satisfies ScreensByPattern;

/** All screens that need a sign-in, by pattern. */
export const signedInScreens: ScreensByPattern = { ...learning, ...teaching, ...authoring, ...administering };

/** Shown on the page of a launch whose session is over. */
export const LtiLaunchEndedScreen = lazyComponentWithTexts(
  async () => (await import("./embed/launch-ended.tsx")).LtiLaunchEndedScreen,
);

/** Screens without a sign-in, mostly targets of mail links. */
export const publicScreens: ScreensByPattern = {
  register: lazyComponentWithTexts(async () => (await import("./sign-in/register.tsx")).RegisterScreen),
  "forgot-password": lazyComponentWithTexts(
    async () => (await import("./sign-in/password-reset.tsx")).ForgotPasswordScreen,
  ),
  "reset-password": lazyComponentWithTexts(
    async () => (await import("./sign-in/password-reset.tsx")).ResetPasswordScreen,
  ),
  "verify-email": lazyComponentWithTexts(
    async () => (await import("./sign-in/verify-email.tsx")).VerifyEmailScreen,
  ),
  "accept-invitation": lazyComponentWithTexts(
    async () => (await import("./sign-in/accept-invitation.tsx")).AcceptInvitationScreen,
  ),
  "shared/:token": lazyComponentWithTexts(
    async () => (await import("./screens/shared-conversation.tsx")).SharedConversationScreen,
  ),
};
