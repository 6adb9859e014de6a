import * as z from "zod";
import { may } from "../../lib/auth/guards.ts";
import * as topicTree from "../../lib/chat/topic-tree.ts";
import { endpoint, noContent, ok } from "../../lib/http/endpoint.ts";
import { CacheNode, CacheNodeUpdate, TopicTree } from "../../schema/api/chat.ts";
import { pagination, pathIds, pathWideIds } from "../../schema/api/fields.ts";

const ofNode = pathIds("content_item_id").extend(pathWideIds("node_id").shape);

export const getChatTopicTree = endpoint(
  {
    id: "getChatTopicTree",
    method: "get",
    path: "/topics/{content_item_id}/tree",
    summary: "Read the stored answers of a topic",
    description: "For the course's staff: what is answered, how often, and where learners leave the tree.",
    ...may("tutor-answer:read"),
    params: pathIds("content_item_id"),
    query: z.object(pagination),
    ...ok(TopicTree, "The topic's tree"),
    fails: [404],
  },
  ({ deps, actor, params, query }) => topicTree.getTopicTree(deps.db, actor, params.content_item_id, query),
);

export const updateChatTopicTreeNode = endpoint(
  {
    id: "updateChatTopicTreeNode",
    method: "put",
    path: "/topics/{content_item_id}/tree/nodes/{node_id}",
    summary: "Replace a stored answer by a text of one's own",
    ...may("content:write"),
    params: ofNode,
    body: CacheNodeUpdate,
    ...ok(CacheNode, "The node with its new answer"),
    fails: [403, 404],
  },
  ({ deps, actor, params, body }) => topicTree.replaceAnswer(deps.db, actor, params, body),
);

export const deleteChatTopicTreeNode = endpoint(
  {
    id: "deleteChatTopicTreeNode",
    method: "delete",
    path: "/topics/{content_item_id}/tree/nodes/{node_id}",
    summary: "Purge a stored answer with all that follow from it",
    ...may("content:write"),
    params: ofNode,
    ...noContent("The node and its descendants are gone"),
    fails: [403, 404],
  },
  ({ deps, actor, params }) => topicTree.purgeNode(deps.db, actor, params),
);
