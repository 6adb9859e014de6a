import type { ComponentType } from "preact";

/** The prompt screens, each loaded on demand. This list itself loads with the first one. */
export const screens = {
  PromptScreen: async () => (await import("../teaching/prompt.tsx")).PromptScreen,
  RolloutsScreen: async () => (await import("./rollouts.tsx")).RolloutsScreen,
  RolloutScreen: async () => (await import("./rollout.tsx")).RolloutScreen,
  PromptVersionTextScreen: async () => (await import("./version.tsx")).PromptVersionTextScreen,
  NewPromptVersionScreen: async () => (await import("./new-prompt-version.tsx")).NewPromptVersionScreen,
  TryPromptItemPickerScreen: async () => (await import("./try-prompt-version.tsx")).TryPromptItemPickerScreen,
  TryPromptConversationScreen: async () =>
    (await import("./try-prompt-version.tsx")).TryPromptConversationScreen,
  TrialsScreen: async () => (await import("./trials.tsx")).TrialsScreen,
  TrialScreen: async () => (await import("./trial.tsx")).TrialScreen,
} satisfies Record<string, () => Promise<ComponentType<never>>>;
