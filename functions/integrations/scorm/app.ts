import { createEndpointGroup } from "../../../lib/http/endpoint.ts";
import { commitScorm, launchScorm, listMyScormAttempts, listScormAttempts } from "./attempts.ts";
import { getScormFile, getScormPlayer, getScormPlayerScript, registerScormPackage } from "./packages.ts";

export const scorm = createEndpointGroup("SCORM", "/scorm", [
  registerScormPackage,
  getScormPlayer,
  getScormPlayerScript,
  getScormFile,
  launchScorm,
  listScormAttempts,
  listMyScormAttempts,
  commitScorm,
]);
