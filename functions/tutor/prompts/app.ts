import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import { getPromptImpact, listPromptLabelHistory, updatePromptVersionLabels } from "./labels.ts";
import { listPromptLabels, listPromptLinkOptions, listPromptNames } from "./lookup.ts";
import {
  createPrompt,
  deletePrompt,
  getPrompt,
  listPrompts,
  previewPrompt,
  updatePromptTags,
} from "./prompts.ts";
import {
  createPromptRollout,
  getPromptRollout,
  listPromptRollouts,
  promotePromptRollout,
  stopPromptRollout,
} from "./rollouts.ts";
import {
  createPromptTrial,
  getPromptTrial,
  listPromptTrialCases,
  listPromptTrials,
  startPromptTrial,
  stopPromptTrial,
  takeBackPromptTrialVote,
  voteOnPromptTrialCase,
} from "./trials.ts";
import { deletePromptVersion, listPromptVersions } from "./versions.ts";

export const prompts = createEndpointGroup("Prompts", "/prompts", [
  listPrompts,
  createPrompt,
  listPromptLabels,
  listPromptNames,
  listPromptLinkOptions,
  previewPrompt,
  getPrompt,
  deletePrompt,
  updatePromptTags,
  listPromptLabelHistory,
  getPromptImpact,
  listPromptVersions,
  deletePromptVersion,
  updatePromptVersionLabels,
  createPromptTrial,
  listPromptTrials,
  getPromptTrial,
  startPromptTrial,
  stopPromptTrial,
  listPromptTrialCases,
  voteOnPromptTrialCase,
  takeBackPromptTrialVote,
  createPromptRollout,
  listPromptRollouts,
  getPromptRollout,
  promotePromptRollout,
  stopPromptRollout,
]);
