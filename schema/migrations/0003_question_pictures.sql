ALTER TABLE "file_uses" DROP CONSTRAINT "file_uses_thing_check";--> statement-breakpoint
DROP INDEX "file_uses_once_unique";--> statement-breakpoint
ALTER TABLE "file_uses" ADD COLUMN "question_id" integer;--> statement-breakpoint
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_question_id_questions_id_fk" FOREIGN KEY ("question_id") REFERENCES "public"."questions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "file_uses_question_id_index" ON "file_uses" USING btree ("question_id");--> statement-breakpoint
CREATE UNIQUE INDEX "file_uses_once_unique" ON "file_uses" USING btree ("file_id") WHERE asset_id is null and content_item_id is null and course_id is null and question_id is null;--> statement-breakpoint
ALTER TABLE "file_uses" ADD CONSTRAINT "file_uses_thing_check" CHECK (num_nonnulls("file_uses"."submission_id", "file_uses"."graded_submission_id", "file_uses"."post_id", "file_uses"."avatar_user_id",
        "file_uses"."course_id", "file_uses"."question_id", "file_uses"."logo_university_id", coalesce("file_uses"."asset_id", "file_uses"."content_item_id")) = 1);
