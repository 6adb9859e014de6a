DROP INDEX "courses_primary_subject_id_index";
--> statement-breakpoint
CREATE INDEX "courses_primary_subject_id_id_index" ON "courses" USING btree ("primary_subject_id","id");
--> statement-breakpoint
CREATE INDEX "course_offerings_private_index" ON "course_offerings" USING btree ("id") WHERE "course_offerings"."visibility" = 'private';
