ALTER TABLE "enrollment_progress" DROP CONSTRAINT "enrollment_progress_enrollments_fk";
--> statement-breakpoint
ALTER TABLE "enrollment_progress" ADD CONSTRAINT "enrollment_progress_enrollments_fk" FOREIGN KEY ("user_id","course_offering_id") REFERENCES "public"."enrollments"("user_id","course_offering_id") ON DELETE cascade ON UPDATE cascade;
