// pgx v4 and msgpack v5: what doc/clients.md shows, and that it keeps every byte.
package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/jackc/pgtype"
	"github.com/jackc/pgx/v4"
	"github.com/vmihailenco/msgpack/v5"
)

// [type]
// Document is a column or parameter of type msgpack; Value is what Marshal takes.
// Into says what to decode into: a pointer, or nil for any value.
type Document struct {
	Value interface{}
	Into  interface{}
}

func (d Document) EncodeBinary(_ *pgtype.ConnInfo, buf []byte) ([]byte, error) {
	if d.Value == nil {
		return nil, nil
	}
	encoded, err := msgpack.Marshal(d.Value)
	return append(buf, encoded...), err
}

func (d *Document) DecodeBinary(_ *pgtype.ConnInfo, src []byte) error {
	if src == nil {
		d.Value = nil
		return nil
	}
	if d.Into != nil {
		d.Value = d.Into
		return msgpack.Unmarshal(src, d.Into)
	}
	return msgpack.Unmarshal(src, &d.Value)
}

// Set and the others make it a pgtype.Value, so that it can be registered.
func (d *Document) Set(value interface{}) error { d.Value = value; return nil }
func (d Document) Get() interface{}             { return d.Value }
func (d *Document) AssignTo(to interface{}) error {
	return fmt.Errorf("scan msgpack into a Document, or doc::bytea into []byte")
}

// RegisterMsgpack is for each connection, as in pgxpool's AfterConnect.
func RegisterMsgpack(ctx context.Context, conn *pgx.Conn) error {
	var oid uint32
	if err := conn.QueryRow(ctx, "SELECT 'msgpack'::regtype::oid").Scan(&oid); err != nil {
		return err
	}
	conn.ConnInfo().RegisterDataType(pgtype.DataType{Value: &Document{}, Name: "msgpack", OID: oid})
	return nil
}

// [/type]

var passed, failed int

func check(good bool, what ...interface{}) {
	if good {
		passed++
	} else {
		failed++
		fmt.Println(append([]interface{}{"FAILED:"}, what...)...)
	}
}

func must(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func readDocuments(name string) (documents [][]byte) {
	text, err := os.ReadFile(name)
	must(err)
	for _, line := range strings.Fields(string(text)) {
		document, err := hex.DecodeString(line)
		must(err)
		documents = append(documents, document)
	}
	return documents
}

func connect(ctx context.Context) *pgx.Conn {
	conn, err := pgx.Connect(ctx, "")
	must(err)
	return conn
}

func bytesThereAndBack(ctx context.Context, conn *pgx.Conn, documents [][]byte) {
	// [bytes]
	for id, document := range documents {
		_, err := conn.Exec(ctx, "INSERT INTO docs VALUES ($1, $2::bytea)", id, document)
		must(err)
	}
	var found [][]byte
	rows, err := conn.Query(ctx, "SELECT doc::bytea FROM docs ORDER BY id")
	must(err)
	for rows.Next() {
		var document []byte
		must(rows.Scan(&document))
		found = append(found, document)
	}
	// [/bytes]
	must(rows.Err())
	check(reflect.DeepEqual(found, documents), "bytes as parameters of INSERT")
	for _, document := range documents {
		var a, b, c bool
		err := conn.QueryRow(ctx, "SELECT doc @> $1::bytea, doc = $1::bytea, $1::bytea <@ doc FROM docs WHERE doc::bytea = $1",
			document).Scan(&a, &b, &c)
		check(err == nil && a && b && c, "operators", hex.EncodeToString(document), err)
	}
	var count int
	// [array]
	err = conn.QueryRow(ctx, "SELECT count(*) FROM docs WHERE doc = ANY ($1::bytea[]::msgpack[])", documents[4:9]).Scan(&count)
	// [/array]
	check(err == nil && count == 7, "an array of bytes, 1 in three encodings", count, err)
}

// Without a registered type pgx reads the text form, also into []byte.
func traps(ctx context.Context, conn *pgx.Conn) {
	var scanned []byte
	must(conn.QueryRow(ctx, `SELECT '{"a": 1}'::msgpack`).Scan(&scanned))
	check(string(scanned) == `{"a": 1}`, "the text was not scanned into []byte", scanned)
	var number interface{}
	err := msgpack.NewDecoder(bytes.NewReader(scanned)).Decode(&number)
	check(err == nil && fmt.Sprint(number) == "123", "a decoder takes the brace for the integer 123", number, err)
	must(conn.QueryRow(ctx, `SELECT '{"a": 1}'::msgpack::bytea`).Scan(&scanned))
	check(hex.EncodeToString(scanned) == "81a16101", "doc::bytea", scanned)

	var text string
	must(conn.QueryRow(ctx, "SELECT $1::msgpack::text", []byte("7")).Scan(&text))
	check(text == "55", "[]byte is the document", text)
	must(conn.QueryRow(ctx, "SELECT $1::msgpack::text", pgx.QuerySimpleProtocol(true), []byte("7")).Scan(&text))
	check(text == "55", "[]byte is the document in the simple protocol", text)
	must(conn.QueryRow(ctx, "SELECT $1::msgpack::text", "7").Scan(&text))
	check(text == "7", "a string is the text form", text)
}

type event struct {
	ID   int      `msgpack:"id"`
	Tags []string `msgpack:"tags"`
	Raw  []byte   `msgpack:"raw"`
}

func objectsThereAndBack(ctx context.Context, conn *pgx.Conn) {
	must(RegisterMsgpack(ctx, conn))
	sent := event{7, []string{"a", "b"}, []byte{0, 255}}
	// [objects]
	_, err := conn.Exec(ctx, "INSERT INTO docs VALUES ($1, $2)", 1000, Document{Value: sent})
	must(err)
	var got event
	err = conn.QueryRow(ctx, "SELECT doc FROM docs WHERE doc @> $1",
		Document{Value: map[string][]string{"tags": {"b"}}}).Scan(&Document{Into: &got})
	// [/objects]
	check(err == nil && reflect.DeepEqual(sent, got), "a native object", got, err)
	var any Document
	err = conn.QueryRow(ctx, "SELECT doc -> 'tags' FROM docs WHERE id = 1000").Scan(&any)
	check(err == nil && reflect.DeepEqual(any.Value, []interface{}{"a", "b"}), "any value", any.Value, err)

	// [copy]
	count, err := conn.CopyFrom(ctx, pgx.Identifier{"docs"}, []string{"id", "doc"},
		pgx.CopyFromRows([][]interface{}{{1001, Document{Value: sent}}, {1002, Document{Value: []int{1, 2}}}}))
	// [/copy]
	check(err == nil && count == 2, "COPY", err)
	var text string
	must(conn.QueryRow(ctx, "SELECT doc::text FROM docs WHERE id = 1002").Scan(&text))
	check(text == "[1, 2]", "COPY", text)
}

func main() {
	ctx := context.Background()
	conn := connect(ctx)
	documents := readDocuments(os.Args[1])
	_, err := conn.Exec(ctx, "SET client_min_messages = warning; DROP TABLE IF EXISTS docs; CREATE TABLE docs (id int, doc msgpack)")
	must(err)
	check(len(documents) > 40, "documents.hex")
	traps(ctx, conn)
	bytesThereAndBack(ctx, conn, documents)
	objectsThereAndBack(ctx, conn)
	must(conn.Close(ctx))
	fmt.Println("pgx v4, msgpack v5")
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if failed > 0 {
		os.Exit(1)
	}
}
