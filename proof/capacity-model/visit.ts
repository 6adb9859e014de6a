/** A request that the web application sends: as a browser test sees it, the name of its cost, and what else it takes. */
export type VisitRequest = {
  request: string;
  cost: string;
  /** The function that serves it, where it has a size of its own. */
  function?: "chat";
  /** Whether the LLM is called. */
  callsLlm?: true;
};

/**
 * What a learner's visit in `/app` asks for, in its order: signs in, goes on in a course, opens a topic, walks two steps of
 * the class's path with the tutor, asks a question of their own, which begins an aside, and marks the topic as done.
 */
export const visitOfLearner: readonly VisitRequest[] = [
  { request: "GET /auth/oidc/providers", cost: "auth/oidc/providers" },
  { request: "POST /auth/login", cost: "login (cost 12)" },
  { request: "GET /users/me", cost: "users/me" },
  { request: "GET /users/me/roles", cost: "users/me/roles" },
  { request: "GET /users/me/home", cost: "home" },
  { request: "GET /users/me/notifications", cost: "notifications" },
  { request: "GET /courses/{id}/offerings/{id}/outline", cost: "outline of a course (200)" },
  { request: "GET /courses/{id}/offerings/{id}/outline", cost: "outline of a course (200)" },
  { request: "GET /content/{id}", cost: "content item" },
  { request: "GET /chat/sessions", cost: "chat sessions", function: "chat" },
  { request: "POST /chat/sessions", cost: "chat session begun", function: "chat" },
  { request: "POST /chat/sessions/{id}/messages", cost: "stored answer, 40 chunks", function: "chat" },
  { request: "GET /chat/sessions/{id}", cost: "chat session", function: "chat" },
  { request: "POST /chat/sessions/{id}/messages", cost: "stored answer, 40 chunks", function: "chat" },
  { request: "GET /chat/sessions/{id}", cost: "chat session", function: "chat" },
  { request: "POST /chat/sessions", cost: "chat session begun", function: "chat" },
  { request: "POST /chat/sessions/{id}/messages", cost: "new answer", function: "chat", callsLlm: true },
  { request: "GET /chat/sessions/{id}", cost: "chat session", function: "chat" },
  { request: "POST /progress/content", cost: "progress/content" },
  { request: "GET /courses/{id}/offerings/{id}/outline", cost: "outline of a course (200)" },
];
