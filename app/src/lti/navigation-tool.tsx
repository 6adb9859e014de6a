import { dataOf } from "learning-platform-client";
import { ScreenHeading } from "../components/heading.tsx";
import { BackLink } from "../components/offering-tab-layout.tsx";
import { ToolFrameOrWindowLink } from "../content/tool-frame-or-link.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";

type ToolRoute = { course: string; offering: string; tool: string };

/** A tool from the navigation of an offering. */
export function NavigationToolScreen({ course, offering, tool }: ToolRoute) {
  const path = { offering_id: Number(offering), lti_tool_id: Number(tool) };
  const launch = useQuery(
    (signal) => dataOf(apiClient.launchNavigationLtiTool({ params: { path }, signal })),
    [offering, tool],
  );
  return (
    <>
      <BackLink route={["courses", course, offering]} />
      <QueryBoundary of={launch}>
        {(found) => (
          <>
            <ScreenHeading title={found.tool_name} />
            <ToolFrameOrWindowLink launch={found} title={found.tool_name} />
          </>
        )}
      </QueryBoundary>
    </>
  );
}
