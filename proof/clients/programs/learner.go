// The learner's main job through the client that was generated for Go.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"os"
	"strings"

	platform "example.edu/learning/platform"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	base, email, password, code := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	settings := platform.NewConfiguration()
	settings.Servers = platform.ServerConfigurations{{URL: base}}
	client := platform.NewAPIClient(settings)
	tokens, _, err := client.AuthenticationAPI.Login(context.Background()).
		Credentials(*platform.NewCredentials(email, password)).Execute()
	check(err)
	ctx := context.WithValue(context.Background(), platform.ContextAccessToken, tokens.AccessToken)

	listed, _, err := client.CoursesAPI.ListCourses(ctx).Limit(20).Execute()
	check(err)
	var courseId int32
	for _, course := range listed {
		if course.Code == code {
			courseId = course.Id
		}
	}
	offerings, _, err := client.CoursesAPI.ListCourseOfferings(ctx, courseId).Execute()
	check(err)
	offeringId := offerings[0].Id
	enrollment, _, err := client.EnrollmentsAPI.CreateEnrollment(ctx).
		EnrollmentCreate(*platform.NewEnrollmentCreate(offeringId)).Execute()
	check(err)
	outline, _, err := client.CoursesAPI.GetCourseOfferingOutline(ctx, courseId, offeringId).Execute()
	check(err)
	var itemId int32
	for _, module := range outline.Modules {
		if len(module.Items) > 0 && itemId == 0 {
			itemId = module.Items[0].Id
		}
	}

	session, _, err := client.ChatAPI.CreateChatSession(ctx).
		ChatSessionCreate(*platform.NewChatSessionCreate(itemId)).Execute()
	check(err)
	text, _, err := client.ChatAPI.SendChatMessage(ctx, session.Id).
		ChatMessageCreate(*platform.NewChatMessageCreate("Start.")).Execute()
	check(err)
	var end platform.TutorEvent
	words := 0
	for _, line := range strings.Split(text, "\n") {
		if data, isData := strings.CutPrefix(line, "data: "); isData {
			end = platform.TutorEvent{}
			check(json.Unmarshal([]byte(data), &end))
			words += len(end.Content)
		}
	}

	_, _, err = client.ProgressAPI.RecordContentProgress(ctx).
		ContentProgressPost(*platform.NewContentProgressPost(itemId, offeringId, 50)).Execute()
	check(err)
	progress, _, err := client.ProgressAPI.ListMyContentProgress(ctx).CourseOfferingId(offeringId).Execute()
	check(err)
	var percent float32
	for _, one := range progress {
		if one.ContentItemId == itemId {
			percent = one.ProgressPercent
		}
	}
	_, _, err = client.CoursesAPI.GetCourse(ctx, 2147483647).Execute()
	var refused *platform.GenericOpenAPIError
	missing := ""
	if errors.As(err, &refused) {
		missing = refused.Model().(platform.ErrorAnswer).Detail
	}

	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"courses": len(listed), "enrollment": enrollment.Status, "words": words,
		"ended": end.Done && end.MessageId != nil, "question": end.GetQuestion().QuestionId,
		"progress": percent, "missing": missing,
	}))
}
