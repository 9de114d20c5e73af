// SPDX-License-Identifier: GPL-2.0
/*
 * viewer DIRECTORY: shows the pictures (PPM) of a directory. It keeps thumbnails of all pictures
 * and some decoded pictures. For each line that it reads it shows the same two: a decoded picture,
 * and one that it reads from its file.
 *
 * viewer --make DIRECTORY: makes the pictures, which look somewhat like landscapes.
 */
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

static const int width = 1024, height = 768, made = 10;
static const unsigned int kept = 5, shown = 7;
static const cv::Size screen(512, 384), small(256, 192);

static cv::Mat read(const std::string &path)
{
	std::ifstream file(path, std::ios::binary);
	std::string magic;
	int columns = 0, rows = 0, depth = 0;

	file >> magic >> columns >> rows >> depth;
	file.get();
	if (magic != "P6" || columns < 1 || columns > 8192 || rows < 1 || rows > 8192 || depth != 255)
		throw std::runtime_error(path + " is no picture of a kind that is known");
	cv::Mat picture(rows, columns, CV_8UC3);
	file.read(reinterpret_cast<char *>(picture.data),
		  static_cast<std::streamsize>(picture.total() * picture.elemSize()));
	if (!file)
		throw std::runtime_error(path + " is too short");
	return picture;
}

class Viewer {
public:
	explicit Viewer(const std::string &directory)
	{
		for (const auto &entry : std::filesystem::directory_iterator(directory))
			paths.push_back(entry.path());
		std::sort(paths.begin(), paths.end());
		if (paths.size() <= shown)
			throw std::runtime_error(directory + " has too few pictures");
		for (const auto &path : paths) {
			cv::Mat picture = read(path), thumbnail;

			cv::resize(picture, thumbnail, small, 0, 0, cv::INTER_AREA);
			thumbnails.push_back(thumbnail);
			if (decoded.size() < kept)
				decoded.push_back(picture);
		}
	}

	std::string visit() const
	{
		char text[64];
		double sum = show(decoded[0]) + show(read(paths[shown]));

		/* The bar shows some of the thumbnails. */
		for (size_t i = shown - 2; i <= shown + 1; i++)
			sum += cv::sum(thumbnails[i])[1];
		std::snprintf(text, sizeof(text), "%zu pictures %.0f", paths.size(), sum);
		return text;
	}

private:
	/* Scales a picture down and sharpens it. */
	static double show(const cv::Mat &picture)
	{
		cv::Mat scaled, soft, sharp;

		cv::resize(picture, scaled, screen, 0, 0, cv::INTER_AREA);
		cv::GaussianBlur(scaled, soft, cv::Size(5, 5), 0);
		cv::addWeighted(scaled, 1.5, soft, -0.5, 0, sharp);
		cv::Scalar sum = cv::sum(sharp);
		return sum[0] + 2 * sum[1] + 3 * sum[2];
	}

	std::vector<std::string> paths;
	std::vector<cv::Mat> thumbnails;
	std::vector<cv::Mat> decoded;
};

/* Noise of all sizes; larger patterns are stronger, as in nature. */
static cv::Mat landscape(cv::RNG &random)
{
	cv::Mat all(height, width, CV_32FC3, cv::Scalar(120, 125, 115));

	for (int cell = 256; cell >= 1; cell /= 2) {
		cv::Mat noise(height / cell, width / cell, CV_32FC3), large;

		random.fill(noise, cv::RNG::NORMAL, 0, cell == 1 ? 3 : 2 + 20 * std::min(1.0, cell / 128.0));
		cv::resize(noise, large, all.size(), 0, 0, cv::INTER_LINEAR);
		all += large;
	}
	cv::Mat picture;
	all.convertTo(picture, CV_8UC3);
	return picture;
}

static void make(const std::string &directory)
{
	cv::RNG random(1);

	for (int i = 0; i < made; i++) {
		char name[16];
		cv::Mat picture = landscape(random);

		std::snprintf(name, sizeof(name), "%02d.ppm", i);
		std::ofstream file(directory + "/" + name, std::ios::binary);
		file << "P6\n" << width << " " << height << "\n255\n";
		file.write(reinterpret_cast<const char *>(picture.data),
			   static_cast<std::streamsize>(picture.total() * picture.elemSize()));
		if (!file.flush())
			throw std::runtime_error("cannot write to " + directory);
	}
}

int main(int argc, char **argv)
{
	try {
		if (argc == 3 && !std::strcmp(argv[1], "--make")) {
			make(argv[2]);
			return 0;
		}
		if (argc != 2)
			throw std::runtime_error("usage: viewer [--make] DIRECTORY");
		/* A single thread, so that nothing depends on the number of processors. */
		cv::setNumThreads(0);
		Viewer viewer(argv[1]);
		for (std::string line; std::getline(std::cin, line);)
			std::cout << viewer.visit() << std::endl;
	} catch (const std::exception &error) {
		std::cerr << "viewer: " << error.what() << std::endl;
		return 1;
	}
	return 0;
}
