"""A service to compare with: images from a URL, 800 pixels wide, made by libvips. usage: pyvips_server.py PORT"""

import asyncio, concurrent.futures, sys
import aiohttp, pyvips
from aiohttp import web

threads = concurrent.futures.ThreadPoolExecutor(2)


def thumbnail(data):
    image = pyvips.Image.thumbnail_buffer(data, 800, height=10_000_000, export_profile="srgb")
    return image.jpegsave_buffer(Q=80, strip=True)


async def answer(request):
    async with request.app["client"].get(request.query["source"]) as response:
        data = await response.read()
    body = await asyncio.get_running_loop().run_in_executor(threads, thumbnail, data)
    return web.Response(body=body, content_type="image/jpeg")


async def client(app):
    async with aiohttp.ClientSession() as session:
        app["client"] = session
        yield


pyvips.cache_set_max(0)
app = web.Application()
app.cleanup_ctx.append(client)
app.router.add_get("/", answer)
web.run_app(app, host="127.0.0.1", port=int(sys.argv[1]), print=None, access_log=None)
