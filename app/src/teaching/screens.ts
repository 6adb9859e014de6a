import type { ComponentType } from "preact";

/** The teaching screens, each loaded on demand. This list itself loads with the first one. */
export const screens = {
  TeachingScreen: async () => (await import("./offerings.tsx")).TeachingScreen,
  RosterScreen: async () => (await import("./roster.tsx")).RosterScreen,
  LearnerScreen: async () => (await import("./learner.tsx")).LearnerScreen,
  SubmissionsScreen: async () => (await import("../grading/queue.tsx")).SubmissionsScreen,
  GradingScreen: async () => (await import("../grading/submission.tsx")).SubmissionGradingScreen,
  GradebookScreen: async () => (await import("../grading/gradebook.tsx")).GradebookScreen,
  GradedItemScreen: async () => (await import("../grading/item.tsx")).GradedItemScreen,
  AttemptScreen: async () => (await import("../grading/attempts.tsx")).AttemptScreen,
  WriteAnnouncementsScreen: async () =>
    (await import("../community/announcements.tsx")).StaffAnnouncementsScreen,
  ClassDiscussionsScreen: async () => (await import("../community/threads.tsx")).StaffDiscussionsScreen,
  ClassThreadScreen: async () => (await import("../community/thread.tsx")).StaffThreadScreen,
  InboxScreen: async () => (await import("./inbox.tsx")).TutorInboxScreen,
  ModerationScreen: async () => (await import("../community/moderation.tsx")).ModerationScreen,
  PromptsScreen: async () => (await import("./prompts.tsx")).PromptsScreen,
} satisfies Record<string, () => Promise<ComponentType<never>>>;
