import { PictureFromSignedUrl } from "../files/uploaded-file.tsx";
import { useSignedFileUrl } from "../files/use-signed-file-url.ts";

/** Decorative: the title next to it says the same. */
export function CoursePicture({ id }: { id: number }) {
  const address = useSignedFileUrl(id);
  return address ? (
    <div class="course-picture">
      <PictureFromSignedUrl address={address} alt="" />
    </div>
  ) : null;
}
