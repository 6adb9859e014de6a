/**
 * Requests of a learner's visit in `/app`, each with its name in docs/reference/performance-costs.json: sign in,
 * continue a course, open a topic, two steps with the tutor, a question, and marking the topic as done.
 */
export const learnerVisitRequests: readonly { request: string; cost: string }[] = [
  { request: "GET /auth/oidc/providers", cost: "auth/oidc/providers" },
  { request: "POST /auth/login", cost: "login (cost 12)" },
  { request: "GET /users/me", cost: "users/me" },
  { request: "GET /users/me/roles", cost: "users/me/roles" },
  { request: "GET /users/me/home", cost: "home" },
  { request: "GET /users/me/notifications", cost: "notifications" },
  { request: "GET /courses/{id}/offerings/{id}/outline", cost: "outline of a course (200)" },
  { request: "GET /courses/{id}/offerings/{id}/outline", cost: "outline of a course (200)" },
  { request: "GET /content/{id}", cost: "content item" },
  { request: "GET /chat/sessions", cost: "chat sessions" },
  { request: "POST /chat/sessions", cost: "chat session begun" },
  { request: "POST /chat/sessions/{id}/messages", cost: "stored answer, 40 chunks" },
  { request: "GET /chat/sessions/{id}", cost: "chat session" },
  { request: "POST /chat/sessions/{id}/messages", cost: "stored answer, 40 chunks" },
  { request: "GET /chat/sessions/{id}", cost: "chat session" },
  { request: "POST /chat/sessions", cost: "chat session begun" },
  { request: "POST /chat/sessions/{id}/messages", cost: "new answer" },
  { request: "GET /chat/sessions/{id}", cost: "chat session" },
  { request: "POST /progress/content", cost: "progress/content" },
  { request: "GET /courses/{id}/offerings/{id}/outline", cost: "outline of a course (200)" },
];
