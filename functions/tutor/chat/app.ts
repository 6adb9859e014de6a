import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import { rateChatAnswer, withdrawChatFeedback } from "./feedback.ts";
import { handOverChatSession } from "./handovers.ts";
import {
  greetChatSession,
  listChatMessages,
  resumeChatStream,
  sendChatMessage,
  stopChatAnswer,
} from "./messages.ts";
import {
  createChatSession,
  deleteChatSession,
  getChatSession,
  listChatSessions,
  updateChatSession,
} from "./sessions.ts";
import { getSharedChatSession, shareChatSession, unshareChatSession } from "./sharing.ts";
import {
  confirmChatTreePin,
  deleteChatTopicTreeNode,
  deleteChatTreePin,
  getChatTopicTree,
  listChatMisconceptions,
  listChatTreeChanges,
  listChatTreePins,
  setChatTopicTreeKey,
  undoChatTreeChange,
  updateChatTopicTreeNode,
} from "./topic-tree.ts";

export const chat = createEndpointGroup("Chat", "/chat", [
  listChatSessions,
  createChatSession,
  getChatSession,
  updateChatSession,
  deleteChatSession,
  listChatMessages,
  sendChatMessage,
  resumeChatStream,
  stopChatAnswer,
  greetChatSession,
  rateChatAnswer,
  withdrawChatFeedback,
  handOverChatSession,
  shareChatSession,
  unshareChatSession,
  getSharedChatSession,
  getChatTopicTree,
  updateChatTopicTreeNode,
  setChatTopicTreeKey,
  deleteChatTopicTreeNode,
  listChatTreeChanges,
  undoChatTreeChange,
  listChatTreePins,
  confirmChatTreePin,
  deleteChatTreePin,
  listChatMisconceptions,
]);
