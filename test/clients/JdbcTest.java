import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;

import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import org.msgpack.value.Value;
import org.postgresql.PGConnection;
import org.postgresql.util.DriverInfo;

/** JDBC and msgpack-core: what doc/clients.md shows, and that it keeps every byte. */
public class JdbcTest {
    static int passed;
    static int failed;

    static void check(boolean good, String what) {
        if (good) {
            passed++;
        } else {
            failed++;
            System.out.println("FAILED: " + what);
        }
    }

    static void bytesThereAndBack(Connection connection, List<byte[]> documents) throws SQLException {
        // [bytes]
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO docs VALUES (?, ?)")) {
            for (int id = 0; id < documents.size(); id++) {
                insert.setInt(1, id);
                insert.setBytes(2, documents.get(id));
                insert.addBatch();
            }
            insert.executeBatch();
        }
        List<byte[]> found = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement("SELECT doc::bytea FROM docs ORDER BY id");
                ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                found.add(rows.getBytes(1));
            }
        }
        // [/bytes]
        check(Arrays.deepEquals(found.toArray(), documents.toArray()), "bytes as parameters of INSERT");
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT doc @> ?, doc = ?, ? <@ doc, doc::bytea FROM docs WHERE doc::bytea = ?")) {
            for (byte[] document : documents) {
                for (int i = 1; i <= 4; i++) {
                    select.setBytes(i, document);
                }
                try (ResultSet rows = select.executeQuery()) {
                    check(rows.next() && rows.getBoolean(1) && rows.getBoolean(2) && rows.getBoolean(3)
                            && Arrays.equals(rows.getBytes(4), document),
                            "operators " + HexFormat.of().formatHex(document));
                }
            }
        }
        int count;
        // [array]
        try (PreparedStatement select = connection.prepareStatement(
                "SELECT count(*) FROM docs WHERE doc = ANY (?::bytea[]::msgpack[])")) {
            select.setArray(1, connection.createArrayOf("bytea", documents.subList(4, 9).toArray(new byte[0][])));
            try (ResultSet rows = select.executeQuery()) {
                rows.next();
                count = rows.getInt(1);
            }
        }
        // [/array]
        check(count == 7, "an array of bytes, 1 in three encodings");
    }

    static void objectsThereAndBack(Connection connection) throws SQLException, IOException {
        // [objects]
        MessageBufferPacker packer = MessagePack.newDefaultBufferPacker();
        packer.packMapHeader(2).packString("id").packInt(7).packString("tags").packArrayHeader(1).packString("a");
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO docs VALUES (1000, ?)")) {
            insert.setBytes(1, packer.toByteArray());
            insert.executeUpdate();
        }
        Value value;
        try (PreparedStatement select = connection.prepareStatement("SELECT doc::bytea FROM docs WHERE id = 1000");
                ResultSet rows = select.executeQuery()) {
            rows.next();
            value = MessagePack.newDefaultUnpacker(rows.getBytes(1)).unpackValue();
        }
        // [/objects]
        check(value.toJson().equals("{\"id\":7,\"tags\":[\"a\"]}"), "an object: " + value);
    }

    static void copy(Connection connection, List<byte[]> documents) throws SQLException, IOException {
        // [copy]
        StringBuilder lines = new StringBuilder();
        for (int id = 0; id < documents.size(); id++) {
            lines.append(id).append("\t\\\\x").append(HexFormat.of().formatHex(documents.get(id))).append('\n');
        }
        connection.unwrap(PGConnection.class).getCopyAPI().copyIn("COPY docs FROM STDIN",
                new StringReader(lines.toString()));
        // [/copy]
        List<byte[]> found = new ArrayList<>();
        try (Statement select = connection.createStatement();
                ResultSet rows = select.executeQuery("SELECT doc::bytea FROM docs ORDER BY id")) {
            while (rows.next()) {
                found.add(rows.getBytes(1));
            }
        }
        check(Arrays.deepEquals(found.toArray(), documents.toArray()), "COPY");
    }

    /** What getBytes gives of the bare column, each time that one statement is executed. */
    static List<String> bareGetBytes(Connection connection, String sql) throws SQLException {
        List<String> seen = new ArrayList<>();
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            for (int i = 0; i < 8; i++) {
                try (ResultSet rows = select.executeQuery()) {
                    rows.next();
                    seen.add(HexFormat.of().formatHex(rows.getBytes(1)));
                }
            }
        }
        return seen;
    }

    /** The bare column comes as text, and in the middle of a program as bytes. */
    static void traps(Connection connection, String url) throws SQLException {
        String doc = "SELECT '{\"a\": 1}'::msgpack";
        String text = HexFormat.of().formatHex("{\"a\": 1}".getBytes(StandardCharsets.US_ASCII));
        check(Collections.nCopies(8, text).equals(bareGetBytes(connection, doc)),
                "getBytes of the column no longer gives the text form");
        check(Collections.nCopies(8, "81a16101").equals(bareGetBytes(connection, doc + "::bytea")), "doc::bytea");
        String oid;
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT 'msgpack'::regtype::oid")) {
            rows.next();
            oid = rows.getString(1);
        }
        try (Connection binary = DriverManager.getConnection(url + "?binaryTransferEnable=" + oid, user(), "")) {
            List<String> seen = bareGetBytes(binary, doc);
            check(seen.get(0).equals(text) && seen.get(7).equals("81a16101"),
                    "with binaryTransferEnable the format no longer changes at prepareThreshold: " + seen);
            check(Collections.nCopies(8, "81a16101").equals(bareGetBytes(binary, doc + "::bytea")),
                    "doc::bytea with binaryTransferEnable");
        }
        try (PreparedStatement select = connection.prepareStatement("SELECT ?::msgpack::text")) {
            select.setString(1, "7");
            try (ResultSet rows = select.executeQuery()) {
                check(rows.next() && rows.getString(1).equals("7"), "a string is the text form");
            }
            select.setBytes(1, new byte[] {'7'});
            try (ResultSet rows = select.executeQuery()) {
                check(rows.next() && rows.getString(1).equals("55"), "bytes are the document");
            }
        }
    }

    static String user() {
        return System.getenv("PGUSER");
    }

    public static void main(String[] arguments) throws SQLException, IOException {
        List<byte[]> documents = Files.readAllLines(Path.of(arguments[0])).stream()
                .map(HexFormat.of()::parseHex).toList();
        String url = "jdbc:postgresql://localhost:" + System.getenv("PGPORT") + "/" + System.getenv("PGDATABASE");
        try (Connection connection = DriverManager.getConnection(url, user(), "");
                Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE IF EXISTS docs");
            statement.execute("CREATE TABLE docs (id int, doc msgpack)");
            check(documents.size() > 40, "documents.hex");
            traps(connection, url);
            bytesThereAndBack(connection, documents);
            statement.execute("TRUNCATE docs");
            copy(connection, documents);
            objectsThereAndBack(connection);
        }
        System.out.println("Java " + Runtime.version() + ", " + DriverInfo.DRIVER_FULL_NAME + ", msgpack-core");
        System.out.println(passed + " passed, " + failed + " failed");
        System.exit(failed > 0 ? 1 : 0);
    }
}
