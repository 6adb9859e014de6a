import { accepted, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import { listTrialCases } from "../../../lib/tutor/trials/cases.ts";
import { createTrial } from "../../../lib/tutor/trials/create.ts";
import { getTrial, listTrials } from "../../../lib/tutor/trials/read.ts";
import { startTrial, stopTrial } from "../../../lib/tutor/trials/start-stop.ts";
import { takeBackVote, voteOnTrialCase } from "../../../lib/tutor/trials/votes.ts";
import { listOf } from "../../../schema/api/platform/fields.ts";
import { PromptVersionPath } from "../../../schema/api/tutor/prompts.ts";
import {
  Trial,
  TrialCase,
  TrialCasePath,
  TrialCaseQuery,
  TrialCaseVotes,
  TrialCreate,
  TrialPath,
  TrialQuery,
  TrialReport,
  TrialVoteWrite,
} from "../../../schema/api/tutor/trials.ts";

const all = "/{prompt_name}/versions/{version}/trials";
const one = `${all}/{trial_id}`;
const vote = `${one}/cases/{case_id}/vote`;

export const createPromptTrial = endpoint(
  {
    id: "createPromptTrial",
    method: "post",
    path: all,
    summary: "Create a prompt trial",
    description:
      "Selects the most visited stored answers of the version `against`, with their paths, in items that " +
      "the caller may write. Excludes answers about changed texts, answers by staff, and paths with free " +
      "text. A FREE trial converses with simulated learners instead. A LEAK trial tries to extract what " +
      "the version must keep secret. With a judge, JUDGE_MODEL decides which answer of each pair is " +
      "better. The response estimates the cost; no model is called until the trial starts. Returns 400 if " +
      "a model has no price in LLM_PRICES, or the items are of several courses. Also returns 400 if " +
      "JUDGE_MODEL is not set or is the tested model, or no answers to compare exist.",
    ...permittedTo("prompt:read", "content:write"),
    params: PromptVersionPath,
    body: TrialCreate,
    ...accepted(Trial, "The trial, not yet started"),
    fails: [400, 404],
  },
  ({ deps, actor, params, body }) => createTrial(deps.db, actor, params, body, deps.config),
);

export const listPromptTrials = endpoint(
  {
    id: "listPromptTrials",
    method: "get",
    path: all,
    summary: "List trials of a prompt version",
    description: "Only trials in courses with content that the caller may write.",
    ...permittedTo("prompt:read", "content:write"),
    params: PromptVersionPath,
    query: TrialQuery,
    ...ok(listOf(Trial), "Trials, newest first"),
  },
  ({ deps, actor, params, query }) => listTrials(deps.db, actor, params, query),
);

export const getPromptTrial = endpoint(
  {
    id: "getPromptTrial",
    method: "get",
    path: one,
    summary: "Read a trial report",
    description:
      "Returns the answers that passed each check with 95 % Wilson intervals, next to the recorded ones. " +
      "Includes the judge's wins, ties and losses, agreement with people, and results of attacks.",
    ...permittedTo("prompt:read", "content:write"),
    params: TrialPath,
    ...ok(TrialReport, "The trial with its report"),
    fails: [404],
  },
  ({ deps, actor, params }) => getTrial(deps.db, actor, params),
);

export const startPromptTrial = endpoint(
  {
    id: "startPromptTrial",
    method: "post",
    path: `${one}/start`,
    summary: "Start a prompt trial",
    description:
      "Runs after the response, with at most four concurrent calls for all trials. Uses the credentials " +
      "of the course's university and a separate budget (TUTOR_TRIAL_TOKENS_PER_MONTH). Each call " +
      "reserves its maximum cost. Calls over the limit are not sent, and the trial reports them.",
    ...permittedTo("prompt:read", "content:write"),
    params: TrialPath,
    ...accepted(Trial, "The running trial"),
    fails: [400, 404],
  },
  ({ deps, actor, params }) => startTrial(deps.db, actor, params),
);

export const stopPromptTrial = endpoint(
  {
    id: "stopPromptTrial",
    method: "post",
    path: `${one}/stop`,
    summary: "Stop a prompt trial",
    description: "Running calls are completed and their answers kept. The remaining cases are skipped.",
    ...permittedTo("prompt:read", "content:write"),
    params: TrialPath,
    ...ok(Trial, "The ended trial"),
    fails: [400, 404],
  },
  ({ deps, actor, params }) => stopTrial(deps.db, actor, params),
);

export const listPromptTrialCases = endpoint(
  {
    id: "listPromptTrialCases",
    method: "get",
    path: `${one}/cases`,
    summary: "List answer pairs of a trial",
    ...permittedTo("prompt:read", "content:write"),
    params: TrialPath,
    query: TrialCaseQuery,
    ...ok(listOf(TrialCase), "Pairs, most visited first"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => listTrialCases(deps.db, actor, params, query),
);

export const voteOnPromptTrialCase = endpoint(
  {
    id: "voteOnPromptTrialCase",
    method: "put",
    path: vote,
    summary: "Vote on an answer pair",
    description:
      "Each person who may read the trial has one vote per pair; a new vote replaces it. Returns 400 if " +
      "one of the answers is missing.",
    ...permittedTo("prompt:read", "content:write"),
    params: TrialCasePath,
    body: TrialVoteWrite,
    ...ok(TrialCaseVotes, "The votes on the pair"),
    fails: [400, 404],
  },
  ({ deps, actor, params, body }) => voteOnTrialCase(deps.db, actor, params, body),
);

export const takeBackPromptTrialVote = endpoint(
  {
    id: "takeBackPromptTrialVote",
    method: "delete",
    path: vote,
    summary: "Withdraw a vote on a pair",
    ...permittedTo("prompt:read", "content:write"),
    params: TrialCasePath,
    ...noContent("The caller has no vote on the pair"),
    fails: [404],
  },
  ({ deps, actor, params }) => takeBackVote(deps.db, actor, params),
);
