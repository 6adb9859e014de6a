import { group } from "../../lib/http/endpoint.ts";
import { greetChatSession, sendChatMessage } from "./messages.ts";
import { createChatSession, deleteChatSession, getChatSession, listChatSessions } from "./sessions.ts";
import { getSharedChatSession, shareChatSession, unshareChatSession } from "./sharing.ts";
import { deleteChatTopicTreeNode, getChatTopicTree, updateChatTopicTreeNode } from "./topic-tree.ts";

export const chat = group("Chat", "/chat", [
  listChatSessions,
  createChatSession,
  getChatSession,
  deleteChatSession,
  sendChatMessage,
  greetChatSession,
  shareChatSession,
  unshareChatSession,
  getSharedChatSession,
  getChatTopicTree,
  updateChatTopicTreeNode,
  deleteChatTopicTreeNode,
]);
