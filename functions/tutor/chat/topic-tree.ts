import * as z from "zod";
import type { Deps } from "../../../lib/deps.ts";
import { endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import { type LiveSettings, liveSettingsOf } from "../../../lib/tutor/chat/live-answers.ts";
import * as pins from "../../../lib/tutor/chat/pins.ts";
import * as topicTree from "../../../lib/tutor/chat/topic-tree.ts";
import * as treeChanges from "../../../lib/tutor/chat/tree-changes.ts";
import { listMisconceptions } from "../../../lib/tutor/tutor-steps/misconceptions.ts";
import { listOf, pagination, pathIds, pathWideIds } from "../../../schema/api/platform/fields.ts";
import {
  AnswerPin,
  CacheNode,
  CacheNodeUpdate,
  QuestionKeyUpdate,
  TopicTree,
  TopicTreeQuery,
  TreeChange,
  treePagination,
} from "../../../schema/api/tutor/chat.ts";
import { TutorMisconceptions } from "../../../schema/api/tutor/tutor-steps.ts";

const ofNode = pathIds("content_item_id").extend(pathWideIds("node_id").shape);

const liveSettings = ({ config }: Pick<Deps, "config">): LiveSettings => liveSettingsOf(config);

export const getChatTopicTree = endpoint(
  {
    id: "getChatTopicTree",
    method: "get",
    path: "/topics/{content_item_id}/tree",
    summary: "Read the stored answers of a topic",
    description: "For the course's staff: what is answered, how often, and where learners leave the tree.",
    ...may("tutor-answer:read"),
    params: pathIds("content_item_id"),
    query: TopicTreeQuery,
    ...ok(TopicTree, "The topic's tree"),
    fails: [404],
  },
  ({ deps, actor, params, query }) =>
    topicTree.getTopicTree(deps.db, actor, params.content_item_id, query, liveSettings(deps)),
);

export const updateChatTopicTreeNode = endpoint(
  {
    id: "updateChatTopicTreeNode",
    method: "put",
    path: "/topics/{content_item_id}/tree/nodes/{node_id}",
    summary: "Replace a stored answer by a text of one's own, or approve it",
    description:
      "`{approved: true}` approves an answer that waits, in an item of `tutor_mode` REVIEWED; a text of one's own approves it too. The text is pinned: it is told wherever the same messages lead to the same question, through new prompts, changes of the item, copies and terms. Learners who stand there stay on their path where the question is the same.",
    ...may("content:write"),
    params: ofNode,
    body: CacheNodeUpdate,
    versioned: CacheNode,
    ...ok(CacheNode, "The node as learners are told it now"),
    fails: [403, 404],
  },
  ({ deps, actor, params, body, ifMatch }) =>
    body.answer === undefined
      ? topicTree.approveAnswer(deps.db, actor, params, ifMatch, liveSettings(deps))
      : topicTree.replaceAnswer(
          deps.db,
          actor,
          params,
          { ...body, answer: body.answer },
          ifMatch,
          liveSettings(deps),
        ),
);

export const setChatTopicTreeKey = endpoint(
  {
    id: "setChatTopicTreeKey",
    method: "put",
    path: "/topics/{content_item_id}/tree/nodes/{node_id}/key",
    summary: "Say which option of a stored question is right",
    description:
      "No learner reads it. With another right option than before the answers that follow go, as they would with another question; it is among the changes, and can be undone. 400 for an answer that asks nothing, and for an option that its question does not offer.",
    ...may("content:write"),
    params: ofNode,
    body: QuestionKeyUpdate,
    versioned: CacheNode,
    ...ok(CacheNode, "The node with its new key"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params, body, ifMatch }) =>
    topicTree.setQuestionKey(deps.db, actor, params, body, ifMatch, liveSettings(deps)),
);

export const deleteChatTopicTreeNode = endpoint(
  {
    id: "deleteChatTopicTreeNode",
    method: "delete",
    path: "/topics/{content_item_id}/tree/nodes/{node_id}",
    summary: "Purge a stored answer with all that follow from it",
    description: "Its own pin goes with it; pins of what followed stay.",
    ...may("content:write"),
    params: ofNode,
    versioned: CacheNode,
    ...noContent("The node and its descendants are gone"),
    fails: [403, 404],
  },
  ({ deps, actor, params, ifMatch }) =>
    topicTree.purgeNode(deps.db, actor, params, ifMatch, liveSettings(deps)),
);

export const listChatMisconceptions = endpoint(
  {
    id: "listChatMisconceptions",
    method: "get",
    path: "/topics/{content_item_id}/misconceptions",
    summary: "List what a class makes of the tutor's questions in a topic, the hardest first",
    description:
      "Each person counts once, by their first answer, also after their account was erased. Nothing of fewer than five people: no such question, and no such error.",
    ...may("tutor-answer:read"),
    params: pathIds("content_item_id"),
    query: z.object(pagination),
    ...ok(listOf(TutorMisconceptions), "The questions that five people or more have answered"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => listMisconceptions(deps.db, actor, params.content_item_id, query),
);

export const listChatTreeChanges = endpoint(
  {
    id: "listChatTreeChanges",
    method: "get",
    path: "/topics/{content_item_id}/tree/changes",
    summary: "List what staff did to the stored answers of a topic, newest first",
    ...may("tutor-answer:read"),
    params: pathIds("content_item_id"),
    query: z.object(treePagination),
    ...ok(listOf(TreeChange), "The changes"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => treeChanges.listChanges(deps.db, actor, params.content_item_id, query),
);

export const undoChatTreeChange = endpoint(
  {
    id: "undoChatTreeChange",
    method: "post",
    path: "/topics/{content_item_id}/tree/changes/{change_id}/undo",
    summary: "Take back what was done to a stored answer",
    description:
      "The text of before comes back, with what went by the change and with the pin of before. What learners were told meanwhile stays in their conversations. 400 where it was undone already, where something was done there since, or after 30 days.",
    ...may("content:write"),
    params: pathIds("content_item_id").extend(pathWideIds("change_id").shape),
    ...noContent("The change is taken back"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params }) => treeChanges.undoChange(deps.db, actor, params),
);

export const listChatTreePins = endpoint(
  {
    id: "listChatTreePins",
    method: "get",
    path: "/topics/{content_item_id}/tree/pins",
    summary: "List the pinned answers of a topic, and what became of each",
    ...may("tutor-answer:read"),
    params: pathIds("content_item_id"),
    query: z.object(treePagination),
    ...ok(listOf(AnswerPin), "The pins"),
    fails: [404],
  },
  ({ deps, actor, params, query }) =>
    pins.listPins(deps.db, actor, params.content_item_id, query, liveSettings(deps)),
);

const ofPin = pathIds("content_item_id").extend(pathWideIds("pin_id").shape);

export const confirmChatTreePin = endpoint(
  {
    id: "confirmChatTreePin",
    method: "post",
    path: "/topics/{content_item_id}/tree/pins/{pin_id}/confirm",
    summary: "Confirm that a stale pinned answer holds for the question that is asked there now",
    ...may("content:write"),
    params: ofPin,
    ...noContent("Learners are told the pin from now on"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params }) => pins.confirmPin(deps.db, actor, params, liveSettings(deps)),
);

export const deleteChatTreePin = endpoint(
  {
    id: "deleteChatTreePin",
    method: "delete",
    path: "/topics/{content_item_id}/tree/pins/{pin_id}",
    summary: "Drop a pinned answer",
    description: "An answer that says it already stays until it is replaced or purged.",
    ...may("content:write"),
    params: ofPin,
    ...noContent("The pin is gone"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => pins.dropPin(deps.db, actor, params),
);
