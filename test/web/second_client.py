"""Another client, with another library: attaches with its key in the first message, types, resizes, is cut off and comes back."""
import asyncio, base64, json, sys
import websockets

host, session, token = sys.argv[1:4]
url = f"ws://{host}/api/v1/pty/sessions/{session}/attach?cols=90&rows=25"


async def until(socket, told, kind, needle=b""):
    """Output up to the message of that kind, with that in what was printed."""
    while True:
        message = json.loads(await asyncio.wait_for(socket.recv(), 20))
        told.append(message["type"])
        if message["type"] == "output":
            if "cols" not in message:  # a screen that is drawn anew shows nothing new
                until.seen += base64.b64decode(message["data"])
            until.cursor = message["cursor"]
        if message["type"] == kind and needle in until.seen:
            return message


until.seen, until.cursor = b"", "0"


async def main():
    told = []
    async with websockets.connect(url, subprotocols=["holt.v1.json"]) as socket:
        await socket.send(json.dumps({"type": "attach", "token": token, "session": session}))
        history = await until(socket, told, "history")
        assert b"ready" in base64.b64decode(history["data"]), history
        await (await socket.ping())
        await socket.send(json.dumps({"type": "input", "data": base64.b64encode("grüße\r".encode()).decode()}))
        await until(socket, told, "output", "got grüße".encode())
        await socket.send(json.dumps({"type": "resize", "cols": 100, "rows": 30}))
        redrawn = await until(socket, told, "output")
        while redrawn.get("cols") != 100:
            redrawn = await until(socket, told, "output")
        assert told.count("history") == 1, told
        socket.transport.abort()
    async with websockets.connect(f"{url}&cursor={until.cursor}", extra_headers={"Authorization": f"Bearer {token}"}) as socket:
        await until(socket, told, "history")
        await socket.send(json.dumps({"type": "input", "data": base64.b64encode(b"again\r").decode()}))
        await until(socket, told, "output", b"got again")
        await socket.send(json.dumps({"type": "detach"}))
        await until(socket, told, "detached")
        await asyncio.wait_for(socket.wait_closed(), 20)
        assert socket.close_code == 1000, socket.close_code
    try:
        await websockets.connect(url, extra_headers={"Origin": "http://evil.example", "Authorization": f"Bearer {token}"})
        raise SystemExit("let in from another site")
    except websockets.InvalidStatusCode as refused:
        assert refused.status_code == 403, refused
    print(json.dumps({"first": told[0], "seen": until.seen.decode()}))


asyncio.run(main())
