import type { ComponentType } from "preact";

/** The teaching screens, each loaded on demand. This list itself loads with the first one. */
export const screens = {
  TeachingScreen: async () => (await import("./offerings.tsx")).TeachingScreen,
  RosterScreen: async () => (await import("./roster.tsx")).RosterScreen,
  LearnerScreen: async () => (await import("./learner.tsx")).LearnerScreen,
  SubmissionsScreen: async () => (await import("../grading/submissions.tsx")).SubmissionsScreen,
  SubmissionGradingScreen: async () => (await import("../grading/submission.tsx")).SubmissionGradingScreen,
  GradebookScreen: async () => (await import("../grading/gradebook.tsx")).GradebookScreen,
  ItemAttemptsAndOverridesScreen: async () =>
    (await import("../grading/item-attempts-and-overrides.tsx")).ItemAttemptsAndOverridesScreen,
  QuizAttemptScreen: async () => (await import("../grading/attempts.tsx")).QuizAttemptScreen,
  StaffOfferingAnnouncementsScreen: async () =>
    (await import("../community/announcements.tsx")).StaffOfferingAnnouncementsScreen,
  StaffDiscussionsScreen: async () => (await import("../community/threads.tsx")).StaffDiscussionsScreen,
  StaffThreadScreen: async () => (await import("../community/thread.tsx")).StaffThreadScreen,
  TutorInboxScreen: async () => (await import("./inbox.tsx")).TutorInboxScreen,
  ModerateReportsScreen: async () => (await import("../community/moderation.tsx")).ModerateReportsScreen,
  PromptsScreen: async () => (await import("./prompts.tsx")).PromptsScreen,
} satisfies Record<string, () => Promise<ComponentType<never>>>;
