// What a user writes with the client that oapi-codegen generates.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"

	"example.org/user/faceline"
)

var ctx = context.Background()

func main() {
	face := read("FACE")
	asJson := request("FACELINE_KEY", image(face), image(face)).JSON200
	asFiles := files(face).JSON200
	bad := request("FACELINE_KEY", image(face), image(read("PLAIN"))).JSON400
	var limited *faceline.VerifyResponse
	for range 20 {
		limited = request("LIMITED_KEY", image(face), embedding())
		if limited.JSON429 != nil {
			break
		}
	}
	offered := must(client("FACELINE_KEY").CapabilitiesWithResponse(ctx, nil)).JSON200
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"json":      asJson.Verified,
		"files":     asFiles.Verified,
		"eyes":      len(*asFiles.FacialAreas.Img1.LeftEye),
		"threshold": offered.ModelDetails[asJson.Model].Thresholds.Cosine == asJson.Threshold,
		"refused":   []any{bad.Status, bad.Error, *bad.Field, *bad.Index},
		"limited":   []any{limited.JSON429.Error, limited.HTTPResponse.Header.Get("Retry-After")},
	}))
}

func client(key string) *faceline.ClientWithResponses {
	return must(faceline.NewClientWithResponses(os.Getenv("FACELINE_URL"),
		faceline.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
			request.Header.Set("x-api-key", os.Getenv(key))
			return nil
		})))
}

func request(key string, img1, img2 faceline.ImageOrVector) *faceline.VerifyResponse {
	return must(client(key).VerifyWithResponse(ctx, nil, faceline.VerifyRequest{Img1: img1, Img2: img2}))
}

func files(face []byte) *faceline.VerifyResponse {
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	for _, name := range []string{"img1", "img2"} {
		must(must(writer.CreateFormFile(name, "face.jpg")).Write(face))
	}
	check(writer.Close())
	response, err := client("FACELINE_KEY").VerifyWithBodyWithResponse(ctx, nil, writer.FormDataContentType(), &form)
	return must(response, err)
}

func image(bytes []byte) (union faceline.ImageOrVector) {
	check(union.FromImage(bytes))
	return union
}

func embedding() (union faceline.ImageOrVector) {
	numbers := make(faceline.Vector, 128)
	for i := range numbers {
		numbers[i] = 0.1
	}
	check(union.FromVector(numbers))
	return union
}

func read(name string) []byte { return must(os.ReadFile(os.Getenv(name))) }

func must[Value any](value Value, err error) Value {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
