package request

import (
	"encoding/binary"
	"io"
	"net"
)

// answerDNS answers one query on conn, in the form that DNS has on streams. The answer to an address query is addr, to
// any other query it is empty.
func answerDNS(conn net.Conn, addr [4]byte) {
	defer conn.Close()
	var size [2]byte
	if _, err := io.ReadFull(conn, size[:]); err != nil {
		return
	}
	query := make([]byte, binary.BigEndian.Uint16(size[:]))
	if _, err := io.ReadFull(conn, query); err != nil {
		return
	}
	end := 12
	for query[end] != 0 {
		end += 1 + int(query[end])
	}
	end += 5 // the root label, type and class
	kind := binary.BigEndian.Uint16(query[end-4:])
	answer := append([]byte{query[0], query[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, query[12:end]...)
	if kind == 1 {
		answer[7] = 1
		answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
		answer = append(answer, addr[:]...)
	}
	conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...))
}
