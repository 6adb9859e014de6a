import * as z from "zod";
import type { Deps } from "../../../lib/deps.ts";
import { endpoint, noContent, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import { type AnswerLookupSettings, answerLookupSettings } from "../../../lib/tutor/chat/answer-lookup.ts";
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

const liveSettings = ({ config }: Pick<Deps, "config">): AnswerLookupSettings => answerLookupSettings(config);

export const getChatTopicTree = endpoint(
  {
    id: "getChatTopicTree",
    method: "get",
    path: "/topics/{content_item_id}/tree",
    summary: "Read a topic's answer tree",
    description: "Returns answers, visit counts, and where learners leave the tree.",
    ...permittedTo("tutor-answer:read"),
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
    summary: "Replace or approve a stored answer",
    description:
      "`{approved: true}` approves an answer that awaits review in an item with `tutor_mode` REVIEWED. A " +
      "replacement text approves it, too, and is pinned. A pinned text is served wherever the same " +
      "messages lead to the same question. It survives changes of prompts and items, and also applies in " +
      "copies and later terms. Learners at this node stay on their path if the question is the same.",
    ...permittedTo("content:write"),
    params: ofNode,
    body: CacheNodeUpdate,
    versioned: CacheNode,
    ...ok(CacheNode, "The node as served to learners"),
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
    summary: "Set a stored question's key",
    description:
      "Learners cannot read the key. Changing it deletes the answers that follow. The change is recorded " +
      "and can be undone. Returns 400 if the answer asks no question, or its question lacks the option.",
    ...permittedTo("content:write"),
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
    summary: "Purge a stored answer",
    description:
      "Deletes the answer, all answers that follow and its pin. Pins of the following answers stay.",
    ...permittedTo("content:write"),
    params: ofNode,
    versioned: CacheNode,
    ...noContent("The node and its descendants are deleted"),
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
    summary: "List misconceptions of a topic",
    description:
      "Questions of the tutor with the class's answers. Each person counts once, by their first answer, " +
      "also after erasure of their account. Questions and errors of fewer than five people are omitted.",
    ...permittedTo("tutor-answer:read"),
    params: pathIds("content_item_id"),
    query: z.object(pagination),
    ...ok(listOf(TutorMisconceptions), "Questions with answers of at least five people, hardest first"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => listMisconceptions(deps.db, actor, params.content_item_id, query),
);

export const listChatTreeChanges = endpoint(
  {
    id: "listChatTreeChanges",
    method: "get",
    path: "/topics/{content_item_id}/tree/changes",
    summary: "List changes of stored answers",
    ...permittedTo("tutor-answer:read"),
    params: pathIds("content_item_id"),
    query: z.object(treePagination),
    ...ok(listOf(TreeChange), "Changes by staff, newest first"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => treeChanges.listChanges(deps.db, actor, params.content_item_id, query),
);

export const undoChatTreeChange = endpoint(
  {
    id: "undoChatTreeChange",
    method: "post",
    path: "/topics/{content_item_id}/tree/changes/{change_id}/undo",
    summary: "Undo an answer change",
    description:
      "Restores the former text, everything the change deleted and the former pin. Messages already sent " +
      "to learners do not change. Returns 400 if the change was undone, a later change exists, or 30 days " +
      "have passed.",
    ...permittedTo("content:write"),
    params: pathIds("content_item_id").extend(pathWideIds("change_id").shape),
    ...noContent("The change is undone"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params }) => treeChanges.undoChange(deps.db, actor, params),
);

export const listChatTreePins = endpoint(
  {
    id: "listChatTreePins",
    method: "get",
    path: "/topics/{content_item_id}/tree/pins",
    summary: "List pinned answers of a topic",
    ...permittedTo("tutor-answer:read"),
    params: pathIds("content_item_id"),
    query: z.object(treePagination),
    ...ok(listOf(AnswerPin), "Pins with their states"),
    fails: [404],
  },
  ({ deps, actor, params, query }) =>
    pins.listAnswerPins(deps.db, actor, params.content_item_id, query, liveSettings(deps)),
);

const ofPin = pathIds("content_item_id").extend(pathWideIds("pin_id").shape);

export const confirmChatTreePin = endpoint(
  {
    id: "confirmChatTreePin",
    method: "post",
    path: "/topics/{content_item_id}/tree/pins/{pin_id}/confirm",
    summary: "Confirm a stale pinned answer",
    ...permittedTo("content:write"),
    params: ofPin,
    ...noContent("The pin is served for the current question"),
    fails: [400, 403, 404],
  },
  ({ deps, actor, params }) => pins.confirmStaleAnswerPin(deps.db, actor, params, liveSettings(deps)),
);

export const deleteChatTreePin = endpoint(
  {
    id: "deleteChatTreePin",
    method: "delete",
    path: "/topics/{content_item_id}/tree/pins/{pin_id}",
    summary: "Delete a pinned answer",
    description: "An answer with this text stays until it is replaced or purged.",
    ...permittedTo("content:write"),
    params: ofPin,
    ...noContent("The pin is deleted"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => pins.deleteAnswerPin(deps.db, actor, params),
);
