// Renders a chart as Helm does, with those of its functions that our chart uses: the language is the real one, Go's.
//
// render CHART VALUES prints the manifests; VALUES is JSON with Values, Release and Chart.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"text/template"
)

func toJson(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(encoded)
}

// toYaml writes lists and maps as blocks, as Helm does, and what is in them as JSON, which is YAML too.
func toYaml(value any) string {
	lines := []string{}
	switch found := value.(type) {
	case []any:
		for _, one := range found {
			lines = append(lines, "- "+toJson(one))
		}
	case map[string]any:
		for name, one := range found {
			lines = append(lines, name+": "+toJson(one))
		}
		sort.Strings(lines)
	}
	if len(lines) == 0 {
		return toJson(value)
	}
	return strings.Join(lines, "\n")
}

func list(values ...any) []any { return values }

func main() {
	var context map[string]any
	if err := json.Unmarshal([]byte(os.Args[2]), &context); err != nil {
		panic(err)
	}
	all := template.New("chart").Option("missingkey=error")
	empty := func(value any) bool {
		truth, _ := template.IsTrue(value)
		return !truth
	}
	all.Funcs(template.FuncMap{
		"include": func(name string, data any) (string, error) {
			var out bytes.Buffer
			err := all.ExecuteTemplate(&out, name, data)
			return out.String(), err
		},
		"toYaml": toYaml,
		"toJson": toJson,
		"list":   list,
		"get": func(values map[string]any, key string) any {
			if value, there := values[key]; there {
				return value
			}
			return ""
		},
		"int": func(value any) int {
			number, _ := strconv.ParseFloat(fmt.Sprint(value), 64)
			return int(number)
		},
		"kindIs":  func(kind string, value any) bool { return reflect.TypeOf(value).Kind().String() == kind },
		"replace": func(old, new, text string) string { return strings.ReplaceAll(text, old, new) },
		"default": func(other any, value any) any {
			if empty(value) {
				return other
			}
			return value
		},
		"required": func(text string, value any) (any, error) {
			if empty(value) {
				return nil, errors.New(text)
			}
			return value, nil
		},
		"fail":       func(text string) (string, error) { return "", errors.New(text) },
		"hasKey":     func(values map[string]any, key string) bool { _, there := values[key]; return there },
		"hasPrefix":  func(prefix, text string) bool { return strings.HasPrefix(text, prefix) },
		"quote":      func(value any) string { return fmt.Sprintf("%q", fmt.Sprint(value)) },
		"sha256sum":  func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) },
		"trunc":      func(length int, text string) string { return text[:min(length, len(text))] },
		"trimSuffix": func(suffix, text string) string { return strings.TrimSuffix(text, suffix) },
		"nindent": func(spaces int, text string) string {
			indent := "\n" + strings.Repeat(" ", spaces)
			return indent + strings.ReplaceAll(text, "\n", indent)
		},
		"urlParse": func(text string) (map[string]any, error) {
			parsed, err := url.Parse(text)
			if err != nil {
				return nil, err
			}
			return map[string]any{"hostname": parsed.Hostname()}, nil
		},
	})
	files, _ := filepath.Glob(filepath.Join(os.Args[1], "templates", "*"))
	sort.Strings(files)
	base := "elcano/templates"
	context["Template"] = map[string]any{"BasePath": base}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		template.Must(all.New(base + "/" + filepath.Base(file)).Parse(string(content)))
	}
	for _, file := range files {
		if strings.HasPrefix(filepath.Base(file), "_") {
			continue
		}
		var out bytes.Buffer
		if err := all.ExecuteTemplate(&out, base+"/"+filepath.Base(file), context); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if strings.HasSuffix(file, ".yaml") {
			fmt.Printf("---\n# Source: %s\n%s\n", filepath.Base(file), out.String())
		} else {
			fmt.Fprintln(os.Stderr, out.String())
		}
	}
}
