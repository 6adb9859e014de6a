import type { Schemas } from "learning-platform-client";
import { t } from "../texts.ts";
import { ToolFrameWithStorage } from "./tool-frame.tsx";

/** The tool in a frame, or a link to its window. */
export const ToolFrameOrWindowLink = ({
  launch,
  title,
}: {
  launch: Schemas["LtiToolLaunch"];
  title: string;
}) =>
  launch.target === "FRAME" ? (
    <ToolFrameWithStorage address={launch.launch_url} title={title} />
  ) : (
    // A click of its own: browsers block windows that open after a request.
    <a class="button primary" href={launch.launch_url} target="_blank" rel="noopener">
      {t("tool.window", { tool: launch.tool_name })}
    </a>
  );
