import { Picture } from "../files/own-file.tsx";
import { useAddress } from "../files/use-address.ts";

/** The picture of a course, beside its title, which says all that it would. */
export function CoursePicture({ id }: { id: number }) {
  const address = useAddress(id);
  return address ? (
    <div class="course-picture">
      <Picture address={address} alt="" />
    </div>
  ) : null;
}
