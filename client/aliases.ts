/** Names that people expect for common operations, and the operation's id. */
export const aliases = {
  getMe: "getMyProfile",
  updateMe: "updateMyProfile",
  signIn: "login",
  signOut: "logout",
  enroll: "createEnrollment",
} as const;
