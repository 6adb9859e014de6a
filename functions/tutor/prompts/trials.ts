import { accepted, endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
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
    summary: "Prepare a trial of a version of a prompt on what a class was told",
    description:
      "Takes the most visited stored answers of the version `against` in items whose content the caller may write, each " +
      "with the path that led to it, and says what it will take to ask the version for its own. Answers about a text that " +
      "has changed since, those that staff wrote, and those on a path with words that were not offered are left out. " +
      "With a judge, JUDGE_MODEL says of each pair which answer is better. A FREE trial talks with simulated learners in " +
      "place of that, and a LEAK trial tries to get from the version what it is to keep. Nothing is asked before it is " +
      "started. 400 where a model has no price in LLM_PRICES, where JUDGE_MODEL is not set or is the model that is tried, " +
      "where items are of several courses, and where there is nothing to hold the version against.",
    ...may("prompt:read", "content:write"),
    params: PromptVersionPath,
    body: TrialCreate,
    ...accepted(Trial, "The trial, which waits to be started"),
    fails: [400, 404],
  },
  ({ deps, actor, params, body }) => createTrial(deps.db, actor, params, body, deps.config),
);

export const listPromptTrials = endpoint(
  {
    id: "listPromptTrials",
    method: "get",
    path: all,
    summary: "List the trials of a version of a prompt",
    description: "Those in courses whose content the caller may write.",
    ...may("prompt:read", "content:write"),
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
    summary: "Read what has come of a trial",
    description:
      "How many answers passed each check, with Wilson's interval of 95 %, beside the recorded ones; how many pairs the judge " +
      "says were won, tied and lost, and how often people agree with it; and what came of attacks.",
    ...may("prompt:read", "content:write"),
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
    summary: "Start a trial",
    description:
      "Its cases are asked after the answer, at most four calls of all trials at once, with the credentials of the course's " +
      "university and on a budget of their own (TUTOR_TRIAL_TOKENS_PER_MONTH). Each call reserves what it may cost at most; " +
      "what does not fit into the limit is not sent, and said so.",
    ...may("prompt:read", "content:write"),
    params: TrialPath,
    ...accepted(Trial, "The trial, which is running"),
    fails: [400, 404],
  },
  ({ deps, actor, params }) => startTrial(deps.db, actor, params),
);

export const stopPromptTrial = endpoint(
  {
    id: "stopPromptTrial",
    method: "post",
    path: `${one}/stop`,
    summary: "Stop a trial",
    description: "Calls that are under way are kept with their answers; the other cases are not asked.",
    ...may("prompt:read", "content:write"),
    params: TrialPath,
    ...ok(Trial, "The trial, which has ended"),
    fails: [400, 404],
  },
  ({ deps, actor, params }) => stopTrial(deps.db, actor, params),
);

export const listPromptTrialCases = endpoint(
  {
    id: "listPromptTrialCases",
    method: "get",
    path: `${one}/cases`,
    summary: "List the pairs of answers of a trial, side by side",
    ...may("prompt:read", "content:write"),
    params: TrialPath,
    query: TrialCaseQuery,
    ...ok(listOf(TrialCase), "Pairs, the most visited first"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => listTrialCases(deps.db, actor, params, query),
);

export const voteOnPromptTrialCase = endpoint(
  {
    id: "voteOnPromptTrialCase",
    method: "put",
    path: vote,
    summary: "Vote which answer of a pair is better",
    description:
      "Whoever may read the trial has one vote on each of its pairs; another one takes its place. 400 where one of both " +
      "answers is missing.",
    ...may("prompt:read", "content:write"),
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
    summary: "Take one's vote on a pair back",
    ...may("prompt:read", "content:write"),
    params: TrialCasePath,
    ...noContent("The caller has no vote on the pair"),
    fails: [404],
  },
  ({ deps, actor, params }) => takeBackVote(deps.db, actor, params),
);
