import { dataOf, type Schemas } from "learning-platform-client";
import { DangerZone } from "../components/danger-zone.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type LeaveCourseProps = {
  title: string;
  enrollment: NonNullable<Schemas["Outline"]["enrollment"]>;
  onLeft: () => void;
};

/** Drops an enrollment, after explaining which data stays and which is deleted. */
export function LeaveCourseCard({ title, enrollment, onLeft }: LeaveCourseProps) {
  const leave = async () => {
    const params = { path: { enrollment_id: enrollment.id } };
    await dataOf(apiClient.updateEnrollment({ params, body: { status: "DROPPED" } }));
    onLeft();
  };
  const words = enrollment.status === "WAITLISTED" ? "leave.waiting.sure" : "leave.sure";
  return <DangerZone label={t("leave")} sure={t(words, { title })} end={leave} />;
}
