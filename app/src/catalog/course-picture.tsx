import { Picture } from "../files/own-file.tsx";
import { useSignedFileUrl } from "../files/use-address.ts";

/** Decorative: the title next to it says the same. */
export function CoursePicture({ id }: { id: number }) {
  const address = useSignedFileUrl(id);
  return address ? (
    <div class="course-picture">
      <Picture address={address} alt="" />
    </div>
  ) : null;
}
