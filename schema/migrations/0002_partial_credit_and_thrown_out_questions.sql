CREATE TABLE "thrown_out_questions" (
	"course_offering_id" integer NOT NULL,
	"content_item_id" integer NOT NULL,
	"question_id" integer NOT NULL,
	"credit" text NOT NULL,
	"reason" text NOT NULL,
	"thrown_out_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "thrown_out_questions_course_offering_id_content_item_id_question_id_pk" PRIMARY KEY("course_offering_id","content_item_id","question_id"),
	CONSTRAINT "thrown_out_questions_credit_check" CHECK ("thrown_out_questions"."credit" in ('full_points', 'no_points'))
);--> statement-breakpoint
ALTER TABLE "question_versions" ADD COLUMN "scoring" text DEFAULT 'all_or_nothing' NOT NULL;--> statement-breakpoint
ALTER TABLE "questions" ADD COLUMN "scoring" text DEFAULT 'all_or_nothing' NOT NULL;--> statement-breakpoint
ALTER TABLE "thrown_out_questions" ADD CONSTRAINT "thrown_out_questions_course_offering_id_course_offerings_id_fk" FOREIGN KEY ("course_offering_id") REFERENCES "public"."course_offerings"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "thrown_out_questions" ADD CONSTRAINT "thrown_out_questions_content_item_id_content_items_id_fk" FOREIGN KEY ("content_item_id") REFERENCES "public"."content_items"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "thrown_out_questions" ADD CONSTRAINT "thrown_out_questions_question_id_questions_id_fk" FOREIGN KEY ("question_id") REFERENCES "public"."questions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "thrown_out_questions_content_item_id_index" ON "thrown_out_questions" USING btree ("content_item_id");--> statement-breakpoint
CREATE INDEX "thrown_out_questions_question_id_index" ON "thrown_out_questions" USING btree ("question_id");--> statement-breakpoint
ALTER TABLE "question_versions" ADD CONSTRAINT "question_versions_scoring_check" CHECK ("question_versions"."scoring" in ('all_or_nothing', 'partial'));--> statement-breakpoint
ALTER TABLE "questions" ADD CONSTRAINT "questions_scoring_check" CHECK ("questions"."scoring" in ('all_or_nothing', 'partial'));
