import type { ComponentType } from "preact";

/** The screens of those who teach, each with what loads it: this list comes with the first of them. */
export const screens = {
  TeachingScreen: async () => (await import("./offerings.tsx")).TeachingScreen,
  RosterScreen: async () => (await import("./roster.tsx")).RosterScreen,
  LearnerScreen: async () => (await import("./learner.tsx")).LearnerScreen,
  SubmissionsScreen: async () => (await import("../grading/queue.tsx")).SubmissionsScreen,
  GradingScreen: async () => (await import("../grading/submission.tsx")).GradingScreen,
  GradebookScreen: async () => (await import("../grading/gradebook.tsx")).GradebookScreen,
  GradedItemScreen: async () => (await import("../grading/item.tsx")).GradedItemScreen,
  AttemptScreen: async () => (await import("../grading/attempts.tsx")).AttemptScreen,
  WriteAnnouncementsScreen: async () =>
    (await import("../community/announcements.tsx")).WriteAnnouncementsScreen,
  ClassDiscussionsScreen: async () => (await import("../community/threads.tsx")).ClassDiscussionsScreen,
  ClassThreadScreen: async () => (await import("../community/thread.tsx")).ClassThreadScreen,
  InboxScreen: async () => (await import("./inbox.tsx")).InboxScreen,
  ModerationScreen: async () => (await import("../community/moderation.tsx")).ModerationScreen,
  PromptsScreen: async () => (await import("./prompts.tsx")).PromptsScreen,
} satisfies Record<string, () => Promise<ComponentType<never>>>;
